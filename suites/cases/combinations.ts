import type { SuiteContext } from '../../lib/engine/plan/suite-context.ts'
import type { TestRequest } from '../../lib/engine/plan/test-request.ts'
import { wrongKey, wrongSecret } from '../../lib/suite/flawed-requests.ts'
import { onEachEndpoint } from '../../lib/suite/rule.ts'
import type { NamedRequest } from './credentials.ts'

/** States of each of the three required headers. */
const states = ['valid', 'absent', 'blank', 'wrong'] as const
type State = (typeof states)[number]

interface Cell {
  readonly key: State
  readonly secret: State
  readonly version: State
}

const allValid: Cell = { key: 'valid', secret: 'valid', version: 'valid' }

/** All 64 cells of {valid, absent, blank, wrong} for key, secret and version. */
const cells: readonly Cell[] = states.flatMap((key) =>
  states.flatMap((secret) => states.map((version) => ({ key, secret, version }))),
)

/** The 64 combinations on every known endpoint and an unknown one, where a gate sends few. */
export function combinations(context: SuiteContext): readonly NamedRequest[] {
  const onUnknown = context.exhaustive ? cells : cells.filter(isInGate)
  return [
    ...onKnownEndpoints(context),
    ...onUnknown.map((cell) => ({
      name: `${nameOf(cell)}-unknown-endpoint`,
      request: combined(context.unknownEndpoint('combinations'), cell, context),
    })),
  ]
}

const onKnownEndpoints = onEachEndpoint(({ request }, context) =>
  cells.map((cell) => ({ name: nameOf(cell), request: combined(request, cell, context) })),
)

/** Input that is known to be invalid, plus one flaw of key, secret or version. */
export const withInvalidInput = onEachEndpoint(({ request, path, invalidQuery }, context) => {
  if (invalidQuery === null) return []
  const flawed = states.filter((state) => state !== 'valid')
  const flaws = flawed
    .flatMap((state): readonly Cell[] => [
      { ...allValid, key: state },
      { ...allValid, secret: state },
      { ...allValid, version: state },
    ])
    .filter(({ key, secret, version }) => {
      // In a gate, one flaw of each field.
      return context.exhaustive || key === 'absent' || secret === 'wrong' || version === 'wrong'
    })
  return flaws.map((cell) => ({
    name: `input-invalid-${nameOf(cell)}`,
    request: combined(request.to(`${path}?${invalidQuery}`), cell, context),
  }))
})

/** On an unknown endpoint: a wrong secret, and no credentials. */
function isInGate({ key, secret, version }: Cell): boolean {
  if (version !== 'valid') return false
  return key === secret ? key === 'absent' : key === 'valid' && secret === 'wrong'
}

function nameOf({ key, secret, version }: Cell): string {
  return `key-${key}-secret-${secret}-version-${version}`
}

/** A request with its three headers in the states of a cell. */
function combined(request: TestRequest, { key, secret, version }: Cell, context: SuiteContext): TestRequest {
  const withKey = inState(request, 'x-api-key', key, wrongKey(context))
  const withSecret = inState(withKey, 'x-secret-key', secret, wrongSecret(context))
  return inState(withSecret, 'x-version', version, context.fixtures.unsupportedVersion)
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
