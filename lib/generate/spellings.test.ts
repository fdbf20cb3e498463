import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { Secret } from '../http/secret.ts'
import { credentialKinds } from './credential-kinds.ts'
import { casesOf, materialOf, requestOf } from './testing/requests.ts'

const hasPerl = spawnSync('perl', ['-MUnicode::Normalize', '-e', '1']).status === 0

/** Values of a key that a shell can say, with how it does. */
function spelled(key: string): readonly Secret[] {
  const material = materialOf(key, 'sk-Vb93mQx7_Lw20ZpTd')
  return casesOf(credentialKinds('x-api-key', material), 600).flatMap(({ fuzzed }) => {
    const value = requestOf(material, fuzzed).fields.find(({ name }) => name === 'x-api-key')?.value
    return value instanceof Secret && value.shell !== null ? [value] : []
  })
}

describe('how a shell spells a value', () => {
  it.each(['ak_live_7Qm2vXk1Rb84TzNe', 'a"b$c`d\\e\'f g*h%i!j', 'x'])('makes that value: %s', (key) => {
    const all = spelled(key).filter(({ shell }) => hasPerl || shell?.includes('perl') === false)
    const script = all.map(({ shell }) => `printf '%s\\0' "${shell}"`).join('\n')
    const { stdout } = spawnSync('bash', ['--noprofile', '--norc', '-s'], {
      input: script,
      env: {
        PATH: process.env['PATH'] ?? '',
        TARGET_API_KEY: key,
        TARGET_SECRET_KEY: 'sk-Vb93mQx7_Lw20ZpTd',
      },
      encoding: 'latin1',
      maxBuffer: 64 * 1024 * 1024,
    })
    const made = stdout.split('\0').slice(0, -1)

    expect(made.length).toBe(all.length)
    for (const [at, value] of all.entries()) expect(made[at], value.name).toBe(value.reveal())
  })

  it('tells no more of one key than of another whose characters have the same forms', () => {
    const turned = (key: string): readonly (string | null)[] =>
      spelled(key)
        .filter(({ name }) => /look-alike|full-width|accent on|case of/.test(name))
        .map(({ shell }) => shell)

    expect(turned('aeoaeoaeoaeo').length).toBeGreaterThan(20)
    expect(turned('aeoaeoaeoaeo')).toEqual(turned('oaeoaeoaeoae'))
  })
})
