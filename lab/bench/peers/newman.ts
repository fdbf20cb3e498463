import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ArgumentsOf } from '../program.ts'
import { handWritten, type Fixtures, type HandWritten } from './hand-written.ts'
import { requirePeer } from './load.ts'

/** The part of newman's interface that is used. */
type Newman = Readonly<{ run: (options: { collection: object; timeoutRequest: number }, done: Done) => void }>
type Done = (error: Error | null, summary: { readonly run: Ran }) => void
type Ran = { readonly failures: readonly unknown[] }

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
  const options = { collection: collectionOf(fixtures), timeoutRequest: timeoutMs }
  const { run } = await promisify(newman.run)(options)
  return run.failures.length > 0
}

/** Runs newman's command with the collection in a separate process. */
export const newmanArguments: ArgumentsOf = async (fixtures, folder) => {
  const file = join(folder, 'collection.json')
  await writeFile(file, JSON.stringify(collectionOf(fixtures)))
  return [requirePeer.resolve('newman/bin/newman.js'), 'run', file]
}
