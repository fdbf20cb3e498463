import { describe } from 'vitest'
import type { ClientName } from '../lib/serve/reference/clients.ts'
import {
  answering,
  answersOfDoctor,
  counts,
  error,
  isAddressRight,
  mend,
  page,
  settings,
  well,
  type Came,
} from './support/doctor-answers.ts'
import { settingsFor } from './support/program.ts'
import { run, test } from './support/program-test.ts'

const refusedOrDisposable = ['noCustomer', 'inactive', 'unauthorized', 'exhausted', 'disposable'] as const

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ')

type Answer = (typeof answersOfDoctor)[number][1]

const answersTo = (wanted: ClientName): readonly Answer[] =>
  answersOfDoctor.flatMap(([, answer]) => (answer.name === wanted ? [answer] : []))
/** Doctor ends with the first client where that is wrong; of the others it asks each, so that one run may have an answer for every one. */
const runs: readonly (readonly Answer[])[] = [
  ...answersTo('permitted').map((one) => [one]),
  ...answersTo('second').map((one, at) => [
    one,
    ...refusedOrDisposable.flatMap((name) => answersTo(name)[at] ?? []),
  ]),
]

test('every answer is tried', ({ expect }) => {
  expect(new Set(runs.flat()).size).toBe(answersOfDoctor.length)
})

describe.concurrent('doctor says what came', () => {
  const titled = runs.map(
    (answers) => [answers.map(({ name, came }) => `${name} ${came?.[0]}`).join('; '), answers] as const,
  )
  test.for(titled)('to %s', async ([, answers], { reference, expect }) => {
    const service = await reference({
      intervene: (...asked) => answers.some(({ name, came }) => answering(name, came)(...asked)),
    })
    const { code, stdout } = await run(['doctor'], { env: settingsFor(service) })

    for (const { name, says, ends } of answers) {
      const line = stdout.split('\n').find((one) => one.includes(`the client of ${settings[name]}:`)) ?? ''
      expect(line).toContain(ends === well ? `ok     the client of` : 'WRONG  the client of')
      expect(inOneLine(line)).toContain(says)
      expect(line.includes('is TARGET_BASE_URL right?')).toBe(
        says === isAddressRight || says.endsWith('right?'),
      )
    }
    const end = [mend, counts, well].find((one) => answers.some(({ ends }) => ends === one)) ?? ''
    expect(stdout).toContain(`\n${end}\n`)
    expect(stdout).not.toContain('settings are right')
    expect(code).toBe(end === well ? 0 : 3)
  })
})

describe.concurrent('a run ends as doctor said', () => {
  const ofClient: Readonly<Partial<Record<ClientName, string>>> = {
    noCustomer: 'authentication/customer-not-found',
    inactive: 'authentication/endpoint-inactive',
    unauthorized: 'authentication/endpoint-unauthorized',
    exhausted: 'quota/exhausted',
  }
  const blamed = answersOfDoctor
    .filter(([, { name, came, ends }]) => ends === counts && came !== null && name !== 'disposable')
    .filter((_, at) => at % 3 === 0)

  test.for(blamed)('against the service: %s', async ([, { name, came }], { reference, expect }) => {
    const service = await reference({ intervene: answering(name, came) })
    const only =
      ofClient[name] ?? 'endpoints/list-succeeds,authentication/secret-key-invalid,quota/per-client,errors/*'
    const { code, verdict } = await run(['--only', only], { env: settingsFor(service) })

    expect([code, verdict?.verdict]).toEqual([1, 'nonconformant'])
  })

  test.for<readonly [string, ClientName, Came, readonly string[], string]>([
    ['refused credentials', 'permitted', [401, error('1006')], [], 'refused with 401 / 1006'],
    [
      'a used-up quota',
      'permitted',
      [429, error('1020')],
      [],
      'the daily quota of the client of TARGET_API_KEY is used up',
    ],
    ['a missing query', 'permitted', [400, error('1030')], [], 'give it as TARGET_QUERY'],
    ['a gateway', 'permitted', [502, page], [], 'a gateway answered 502 in the place of the service'],
    [
      'an exhausted client that is served',
      'exhausted',
      [200, '[]'],
      ['--only', 'quota/exhausted,quota/per-client'],
      'the client of FIXTURE_EXHAUSTED_API_KEY is not exhausted today',
    ],
  ])('incomplete: %s', async ([, name, came, flags, says], { reference, expect }) => {
    const service = await reference({ intervene: answering(name, came) })
    const { code, stdout } = await run(flags, { env: settingsFor(service) })

    expect(inOneLine(stdout)).toContain(says)
    expect(code).toBe(3)
  })

  test.for<readonly [string, Came]>([
    ['refused with another code', [401, error('1006')]],
    ['answered with a page', [200, page]],
  ])('without calling a quota not exhausted whose client was %s', async ([, came], { reference, expect }) => {
    const service = await reference({ intervene: answering('exhausted', came) })
    const { verdict } = await run(['--only', 'quota/*,authentication/not-cached'], {
      env: settingsFor(service),
    })

    expect(JSON.stringify(verdict)).not.toContain('not exhausted today')
    expect(verdict?.rules.find(({ id }) => id === 'quota/per-client')?.because).toContain(
      '(see quota/exhausted)',
    )
  })
})
