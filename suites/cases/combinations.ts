import type { TestRequest } from '../../lib/engine/test-request.ts'
import { wrongKey, wrongSecret } from '../../lib/suite/flawed-requests.ts'
import type { SuiteContext } from '../../lib/engine/suite-context.ts'

/** What each of the three required headers may be. */
const states = ['valid', 'absent', 'blank', 'wrong'] as const
type State = (typeof states)[number]

interface Cell {
  readonly key: State
  readonly secret: State
  readonly version: State
}

/** All 64 cells of {valid, absent, blank, wrong} for key, secret and version. */
const cells: readonly Cell[] = states.flatMap((key) =>
  states.flatMap((secret) => states.map((version) => ({ key, secret, version }))),
)

/**
 * The 64 combinations over every known endpoint, and over an unknown one: there all 64 where every case counts, else those
 * in which one header alone, or key and secret alike, are not valid.
 */
export function combinations(
  context: SuiteContext,
): readonly { readonly name: string; readonly stimulus: TestRequest }[] {
  const wrong = wrongValues(context)
  const onKnown = context.endpoints.flatMap((endpoint) =>
    cells.map((cell) => ({
      name: endpoint.named(nameOf(cell)),
      stimulus: combined(endpoint.request, cell, wrong),
    })),
  )
  const onUnknown = cells
    .filter(
      ({ key, secret, version }) =>
        context.exhaustive ||
        (![key, secret, version].includes('blank') &&
          ((version === 'valid' && (key === 'valid' || secret === 'valid' || key === secret)) ||
            (key === 'valid' && secret === 'valid'))),
    )
    .map((cell) => ({
      name: `${nameOf(cell)}-unknown-endpoint`,
      stimulus: combined(context.unknownEndpoint('combinations'), cell, wrong),
    }))
  return [...onKnown, ...onUnknown]
}

/** Input that is known to be invalid, with one flaw of key, secret or version besides. */
export function withInvalidInput(
  context: SuiteContext,
): readonly { readonly name: string; readonly stimulus: TestRequest }[] {
  const wrong = wrongValues(context)
  const flawed = states.filter((state) => state !== 'valid' && (context.exhaustive || state !== 'blank'))
  const flaws = flawed.flatMap((state): readonly Cell[] => [
    { ...allValid, key: state },
    { ...allValid, secret: state },
    { ...allValid, version: state },
  ])
  return context.endpoints.flatMap((endpoint) =>
    endpoint.invalidQuery === null
      ? []
      : flaws.map((cell) => ({
          name: endpoint.named(`input-invalid-${nameOf(cell)}`),
          stimulus: combined(endpoint.request.to(`${endpoint.path}?${endpoint.invalidQuery}`), cell, wrong),
        })),
  )
}

function wrongValues(context: SuiteContext): WrongValues {
  return {
    key: wrongKey(context),
    secret: wrongSecret(context),
    version: context.fixtures.unsupportedVersion,
  }
}

/** What each header holds where it is wrong. */
type WrongValues = Readonly<Record<keyof Cell, string>>

const allValid: Cell = { key: 'valid', secret: 'valid', version: 'valid' }

function nameOf({ key, secret, version }: Cell): string {
  return `key-${key}-secret-${secret}-version-${version}`
}

function combined(request: TestRequest, { key, secret, version }: Cell, wrong: WrongValues): TestRequest {
  const withKey = inState(request, 'x-api-key', key, wrong.key)
  const withSecret = inState(withKey, 'x-secret-key', secret, wrong.secret)
  return inState(withSecret, 'x-version', version, wrong.version)
}

function inState(request: TestRequest, name: string, state: State, wrong: string): TestRequest {
  switch (state) {
    case 'valid':
      return request
    case 'absent':
      return request.without(name)
    case 'blank':
      return request.with(name, '')
    case 'wrong':
      return request.with(name, wrong)
  }
}
