fxt2pprof -h
fxt2pprof --version
