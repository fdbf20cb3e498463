import { expect, test } from 'vitest'
import { schemaMistake } from './json-schema.ts'

/** A schema that says how often its type was read so far, each time it is read. */
function readingSchema(title: string, onRead: (reads: number) => void): object {
  let reads = 0
  return {
    title,
    get type(): string {
      reads += 1
      onRead(reads)
      return 'string'
    },
  }
}

test('a schema whose compilation got too little processor time is compiled anew', () => {
  let last = 0
  let reads = 0
  const first = readingSchema('whole', (read) => {
    last = read
  })
  // Compilers of schemas are kept; one that stops here never ends what it began.
  const stopped = readingSchema('stopped', (read) => {
    reads = read
    if (read === last) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })

  expect(schemaMistake(first)).toBeNull()
  expect(schemaMistake(stopped)).toBeNull()
  expect(reads).toBeGreaterThan(last)
})
