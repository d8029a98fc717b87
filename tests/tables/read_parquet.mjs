// SPDX-License-Identifier: BSD-2-Clause
// Other readers of Parquet. Arguments: the directory of the packages. Each line of standard
// input is a request in JSON, each line of standard output its answer:
//
//     {"file": "t.parquet"}       hyparquet: the rows, as arrays, and the metadata
//     {"duckdb": "select ..."}    DuckDB: the rows, as arrays
//     {"chdb": "select ..."}      ClickHouse: the rows, as arrays
//
// Numbers that JSON has not are strings, and bytes are in hex.
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'

const { resolve } = createRequire(process.argv[2] + '/')
const load = async name => import(pathToFileURL(resolve(name)))

// Strings that are not UTF-8 are errors.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const parsers = {
  stringFromBytes: bytes => bytes && decoder.decode(bytes),
  timestampFromNanoseconds: number => number
}

function plain(key, value) {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (Object.is(value, -0)) return '-0'
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  return value
}

async function readFile(name) {
  const { parquetMetadata, parquetReadObjects, parquetSchema } = await load('hyparquet')
  const { compressors } = await load('hyparquet-compressors')
  const bytes = readFileSync(name)
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)
  // Statistics of any bytes are strings to it.
  const metadata = parquetMetadata(file, { parsers: { ...parsers, stringFromBytes: String } })
  const names = parquetSchema(metadata).children.map(child => child.element.name)
  const rows = await parquetReadObjects({ file, metadata, compressors, parsers, utf8: false })
  return { metadata, rows: rows.map(row => names.map(column => row[column])) }
}

let connection

async function askDuckDB(sql) {
  const { DuckDBInstance } = await load('@duckdb/node-api')
  connection ??= await (await DuckDBInstance.create(':memory:')).connect()
  return (await connection.runAndReadAll(sql)).getRowsJson()
}

async function askClickHouse(sql) {
  const { query } = await load('chdb')
  return JSON.parse(query(sql, 'JSONCompact')).data
}

async function answer(request) {
  if (request.file) return readFile(request.file)
  return request.duckdb ? askDuckDB(request.duckdb) : askClickHouse(request.chdb)
}

for await (const line of createInterface({ input: process.stdin })) {
  let found
  try {
    found = await answer(JSON.parse(line))
  } catch (error) {
    found = { error: String(error.stack) }
  }
  process.stdout.write(JSON.stringify(found, plain) + '\n')
}
