// SPDX-License-Identifier: BSD-2-Clause
// Today's ClickHouse, npm's chdb, before which this speaks HTTP as ClickHouse's servers do, as
// far as programs and tests here ask for it. Prints its port. Argument: a directory
// node_modules.
import { createRequire } from 'node:module'
import { createServer } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const { resolve } = createRequire(process.argv[2] + '/')
const { Session } = await import(pathToFileURL(resolve('chdb')))
const folder = mkdtempSync(join(tmpdir(), 'chdb'))
const session = new Session(join(folder, 'data'))
const rows = join(folder, 'rows')

// One statement after the other: rows are in a file while it is run.
let last = Promise.resolve()

async function run(statement, body) {
  if (statement) {
    writeFileSync(rows, body)
    statement = statement.replace(/ FORMAT RowBinary$/, ` FROM INFILE '${rows}' FORMAT RowBinary`)
  }
  const answer = await session.queryAsync(statement ?? body.toString(), { format: 'TabSeparated' })
  return Buffer.from(answer.bytes())
}

async function answer(request, response) {
  const pieces = []
  for await (const piece of request) pieces.push(piece)
  const body = Buffer.concat(pieces)
  const statement = new URL(request.url, 'http://localhost').searchParams.get('query')
  const isPacked = request.headers['content-encoding'] === 'gzip'
  last = last.then(() => run(statement, isPacked ? gunzipSync(body) : body)).then(
    found => response.end(found),
    error => {
      response.statusCode = 500
      response.end(String(error.message))
    })
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy())
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
// It ends with the test that has started it.
process.stdin.on('close', () => {
  session.close()
  rmSync(folder, { recursive: true, force: true })
  process.exit()
}).resume()
