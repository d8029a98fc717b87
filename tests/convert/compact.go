// SPDX-License-Identifier: BSD-2-Clause

// Says for each profile, as JSON, what it has before and after Compact: how many of
// everything, and the sum of each function's values, flat and with its callers'.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"compact/profile"
)

type counts struct {
	Mappings, Locations, Functions, Samples int
	Main                                    string
	Flat, Total                             map[string]int64
}

func count(p *profile.Profile) counts {
	c := counts{len(p.Mapping), len(p.Location), len(p.Function), len(p.Sample), "",
		map[string]int64{}, map[string]int64{}}
	if len(p.Mapping) > 0 {
		c.Main = p.Mapping[0].File
	}
	for _, s := range p.Sample {
		seen := map[string]bool{}
		for i, l := range s.Location {
			for j, line := range l.Line {
				if i == 0 && j == 0 {
					c.Flat[line.Function.Name] += s.Value[0]
				}
				if !seen[line.Function.Name] {
					c.Total[line.Function.Name] += s.Value[0]
				}
				seen[line.Function.Name] = true
			}
		}
	}
	return c
}

func outside(p *profile.Profile) (n int) {
	for _, l := range p.Location {
		if m := l.Mapping; m != nil && (l.Address < m.Start || l.Address >= m.Limit) {
			n++
		}
	}
	return n
}

func read(name string) *profile.Profile {
	file, err := os.Open(name)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	p, err := profile.Parse(file)
	if err == nil {
		err = p.CheckValid()
	}
	if err != nil {
		panic(err)
	}
	return p
}

func main() {
	for _, name := range os.Args[1:] {
		p := read(name)
		text, err := json.Marshal(map[string]interface{}{
			"Before": count(p), "After": count(p.Compact()), "Outside": outside(p)})
		if err != nil {
			panic(err)
		}
		fmt.Println(string(text))
	}
}
