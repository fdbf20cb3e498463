import { expect, test } from 'vitest'
import { underLimits } from '../specification/within.testing.ts'
import { schemaMistake } from './json-schema.ts'

test('a schema is compiled again if its first compilation runs out of processor time', () => {
  const reads = { whole: 0, stopped: 0 }
  const schema = (title: keyof typeof reads): object => ({
    title,
    get type() {
      reads[title] += 1
      // Blocks near the end, so that the compiler has started but cannot finish.
      if (title === 'stopped' && reads.stopped === reads.whole)
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
      return 'string'
    },
  })

  expect(schemaMistake(schema('whole'))).toBeNull()
  expect(underLimits({ schema: 100 }, () => schemaMistake(schema('stopped')))).toBeNull()
  expect(reads.stopped).toBeGreaterThan(reads.whole)
})
