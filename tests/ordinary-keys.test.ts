import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type ExpectStatic } from 'vitest'
import { clients, type ReferenceClient } from '../lib/serve/reference/clients.ts'
import type { ReferenceOptions } from '../lib/serve/reference/service.ts'
import { runInProcess } from './support/in-process.ts'
import { spellings } from './leaks/spellings.ts'
import { rulesThat, settingsFor, type ProgramResult } from './support/program.ts'
import { test } from './support/program-test.ts'

/** Keys and secrets as staging systems have them. They hold words of ours, and none of them is one. */
const ordinary = [
  'my_api_key_1',
  'test-key',
  'secret-key-123',
  'card-switch-test',
  'staging_api_key',
  'application-json-key',
  'x-api-key-1',
  'error_code_1001',
  'list-endpoint',
  'documented-key-1',
  'changeme',
  'password123',
]
/** Ones that are words of ours, which stand in every report. */
const ourWords = ['customizations', 'conformance']

const faults = ['invalid-api-key-customer-not-found']
const written = Object.values(spellings)

/** Accepts these credentials instead of the permitted client's, and repeats them, written in turn in every way, to whom it does not know. */
function issuing(own: ReferenceClient): ReferenceOptions {
  let arrived = 0
  return {
    faults,
    intervene: ({ headers, url = '' }, response) => {
      arrived += 1
      if (headers['x-api-key'] === own.apiKey) headers['x-api-key'] = clients.permitted.apiKey
      if (headers['x-secret-key'] === own.secretKey) headers['x-secret-key'] = clients.permitted.secretKey
      const isKnown = url.startsWith('/api/customizations/list')
      if (isKnown) return false
      const spell = written[arrived % written.length] ?? String
      const error = {
        error_code: '1012',
        error_message: `nobody is ${String(spell(own.apiKey))} or ${String(spell(own.secretKey))}`,
      }
      response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify(error))
      return true
    },
  }
}

/** Fails unless the run found the faults, and the reader of any report finds our own sentences and a line of curl for each. */
async function expectReadable(
  expect: ExpectStatic,
  { code, verdict, stdout, cwd }: ProgramResult,
): Promise<void> {
  const findings = (verdict?.rules ?? []).flatMap((rule) => rule.findings)

  expect([code, rulesThat(verdict, 'failed')]).toEqual([
    1,
    expect.arrayContaining(['fuzz/api-key', 'fuzz/path']),
  ])
  expect(findings.length).toBeGreaterThan(4)
  for (const { summary, curl, exchange } of findings) {
    expect(summary).toMatch(/^answered \d{3}/)
    expect(`${summary} ${curl}`).not.toContain('withheld')
    if (curl !== null) expect(curl).toMatch(/^curl --http1\.1 /)
    expect(JSON.stringify(exchange.request)).not.toContain('withheld')
  }
  expect(findings.filter(({ curl }) => curl?.includes('$TARGET_API_KEY')).length).toBeGreaterThan(1)
  const summary = await readFile(join(cwd, 'reports/summary.md'), 'utf8')
  for (const text of [stdout, summary]) {
    expect(text).toContain('A request with a wrong API key: 401 / 1012, documented')
    // What the service itself repeated may be withheld.
    const ours = text.replace(/nobody is .*|"error_message":\s*"\(withheld: [^)]*\)/g, '')
    expect(ours).not.toContain('withheld')
  }
}

/** The spellings in which the credential can be read in anything that a run left behind; its words alone stand in our own sentences. */
async function spellingsIn(
  { stdout, stderr, cwd }: ProgramResult,
  credential: string,
): Promise<readonly string[]> {
  const files = (await readdir(cwd, { recursive: true, withFileTypes: true })).filter((one) => one.isFile())
  const texts = await Promise.all(
    files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')),
  )
  const all = [stdout, stderr, ...texts].join('\n').toLowerCase()
  return Object.entries(spellings).flatMap(([name, spell]) =>
    all.includes(String(spell(credential)).toLowerCase()) ? [name] : [],
  )
}

const only = ['--only', 'authentication/*,endpoints/*,versioning/*,fuzz/api-key,fuzz/path']

describe.concurrent('a run is readable', () => {
  const all = [...ordinary, ...ourWords]
  const pairs = all.map((apiKey, at) => ({ apiKey, secretKey: all.at(at - 1) ?? '' }))

  test.for(pairs)('with $apiKey as key and $secretKey as secret', async (own, { reference, expect }) => {
    const service = await reference(issuing(own))
    const env = { ...settingsFor(service), TARGET_API_KEY: own.apiKey, TARGET_SECRET_KEY: own.secretKey }
    const result = await runInProcess(only, { env })

    await expectReadable(expect, result)
    for (const credential of Object.values(own))
      if (!ourWords.includes(credential)) expect(await spellingsIn(result, credential)).toEqual([])
  })
})
