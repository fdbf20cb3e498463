import { expect, test } from 'vitest'
import { faults } from '../../serve/reference/faults.ts'
import { runIn } from './bundle.testing.ts'

test.each<readonly [readonly string[], string]>([
  [['--fault', 'api-key-compared-by-prefx'], 'did you mean api-key-compared-by-prefix?'],
  [['--fault', 'api-key-compared-by-pre'], 'did you mean api-key-compared-by-prefix?'],
  [['--fault', 'nonsense'], 'the name of a fault; --list-faults lists them'],
  [['--variant', 'order-quota-fir'], 'did you mean order-quota-first?'],
  [['--variant', 'nonsense'], 'the name of a variant; --list-variants lists them'],
])(
  'an unknown name is a mistake, with a suggestion for a prefix or a misspelling: %j',
  async (flags, says) => {
    const { code, stderr } = await runIn('.', ['serve', ...flags])

    expect(stderr).toMatch(
      new RegExp(`^One mistake in the settings; the service was not started\\.\n\n${flags[0]}\n`),
    )
    expect(stderr).toContain(says)
    expect(stderr.length).toBeLessThan(300)
    expect(code).toBe(2)
  },
)

test.each([
  ...['-1', '', '00', '08080', '8o', '1e3', '0x50', '65536', 'http'].map(
    (port) => ['--port', port, 'a whole number from 0 to 65535'] as const,
  ),
  ...['', ' '].map((host) => ['--host', host, 'is the variable for --host set?'] as const),
])('%s %j is refused as an address to listen on', async (flag, given, says) => {
  const { code, stderr } = await runIn('.', ['serve', `${flag}=${given}`])

  expect(stderr).toContain(says)
  expect(code).toBe(2)
})

test('the list of faults describes each fault, the rules that detect it, and the profiles', async () => {
  const { code, stdout } = await runIn('.', ['serve', '--list-faults'])

  expect([code, stdout]).toEqual([
    0,
    faults
      .map(({ name, about, rules, profile, inNoOther }) => {
        const where = inNoOther === true ? ', in acceptance alone' : ', from acceptance on'
        return `${name}\n    ${about}\n    noticed by ${rules.join(', ')}${profile === undefined ? '' : where}\n`
      })
      .join(''),
  ])
  expect(stdout).toMatch(/^browsers-need-no-key\n[^]*?, in acceptance alone$/m)
})
