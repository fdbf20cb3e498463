import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ArgumentsOf } from '../program.ts'
import { handWritten, type Fixtures, type HandWritten } from './hand-written.ts'
import { requirePeer } from './load.ts'

/** The part of newman's interface that is used. */
interface Newman {
  readonly run: (
    options: { readonly collection: object; readonly timeoutRequest: number },
    done: (error: Error | null, summary: { readonly run: { readonly failures: readonly unknown[] } }) => void,
  ) => void
}

/** The hand-written requests as a Postman collection, each with a test of status, error_code and content type. */
function collectionOf(fixtures: Fixtures): object {
  const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'
  const baseUrl = fixtures['TARGET_BASE_URL'] ?? ''
  const item = handWritten(fixtures).map((one) => {
    const header = Object.entries(one.headers).map(([key, value]) => ({ key, value }))
    const event = [{ listen: 'test', script: { type: 'text/javascript', exec: testOf(one) } }]
    return { name: one.name, request: { method: 'GET', url: `${baseUrl}${one.path}`, header }, event }
  })
  return { info: { name: 'by hand', schema }, item }
}

function testOf({ allowed }: HandWritten): readonly string[] {
  return [
    `const allowed = ${JSON.stringify(allowed)}`,
    "pm.test('is JSON', () => pm.expect(pm.response.headers.get('content-type')).to.match(/^application\\/json/))",
    "pm.test('answers as documented', () => {",
    '  const { error_code: errorCode = null } = pm.response.json()',
    '  pm.expect(allowed).to.deep.include({ status: pm.response.code, errorCode })',
    '})',
  ]
}

/** Runs the collection in this process. Returns whether anything failed. */
export async function newmanFails(fixtures: Fixtures, timeoutMs: number): Promise<boolean> {
  const newman: Newman = requirePeer('newman')
  return new Promise((resolve, reject) => {
    newman.run({ collection: collectionOf(fixtures), timeoutRequest: timeoutMs }, (error, summary) => {
      if (error === null) resolve(summary.run.failures.length > 0)
      else reject(error)
    })
  })
}

/** Runs newman's command with the collection in a separate process. */
export const newmanArguments: ArgumentsOf = async (fixtures, folder) => {
  const file = join(folder, 'collection.json')
  await writeFile(file, JSON.stringify(collectionOf(fixtures)))
  return [requirePeer.resolve('newman/bin/newman.js'), 'run', file]
}
