import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { servedBy } from '../lab/judge/described-cards.ts'
import type { ServedEndpoint } from '../lib/serve/reference/described.ts'
import { importedText, judgingBy } from './support/described.ts'
import { expectConformant } from './support/program-test.ts'
import { ruleIn, rulesThat } from './support/program.ts'

const imported = servedBy(importedText.replace('"fuzz": false', '"fuzz": true'))
/** The file after the user's edits: creating a card is permitted, and deleting one is left out. */
const entries = imported.filter(({ method }) => method !== 'DELETE')
const file = JSON.stringify(entries, null, 2)

const judge = judgingBy(file)

describe('bodies that an endpoints file describes', () => {
  test.for([['gate', '--max-requests', '2000'], ['acceptance']])(
    'are sent, and a service that follows the file passes: %s',
    async (flags) => {
      const bodies: string[] = []
      const result = await judge(entries, ['--profile', ...flags], {
        intervene: (request) => {
          if (request.method === 'POST' && request.url === '/api/cards')
            bodies.push(`${request.headers['content-type']} ${request.headers['content-length']}`)
          return false
        },
      })

      expectConformant(result)
      expect(bodies.length).toBeGreaterThan(20)
      expect(bodies.filter((one) => !/^application\/json \d+$/.test(one))).toEqual([])
    },
  )

  test('detect a service that allows too much, and are shown and replayed', async () => {
    const served: readonly ServedEndpoint[] = JSON.parse(file.replaceAll('10000', '10001'))
    const { code, verdict, cwd } = await judge(served, [
      '--only',
      'fuzz/query,endpoints/*',
      '--fuzz-cases',
      '300',
      '--max-requests',
      '3000',
    ])
    const [finding] = ruleIn(verdict, 'fuzz/query').findings
    const replayed = await judge(served, ['replay', finding?.case ?? ''])
    const page = await readFile(join(cwd, 'reports', 'index.html'), 'utf8')
    const body = '{"holder":"Ada","limit":10001,"address":{"city":"London"}}'

    expect(rulesThat(verdict, 'failed')).toEqual(['fuzz/query'])
    expect(finding?.summary).toContain('cards.json (entry 2: body with limit 10001, must be <= 10000)')
    expect(finding?.exchange.request).toMatchObject({ method: 'POST', body })
    expect(finding?.exchange.request.headers).toContainEqual(['content-type', 'application/json'])
    expect(finding?.curl).toContain(`--data-raw '${body}'`)
    expect(page).toMatch(/\{(?:&\w+;|&#34;|")holder(?:&\w+;|&#34;|"):.*10001/)
    expect(replayed.stdout).toContain(body)
    expect([code, replayed.code]).toEqual([1, 1])
  })
})
