import type { SuiteContext } from '../../lib/engine/plan/suite-context.ts'
import type { TestRequest } from '../../lib/engine/plan/test-request.ts'
import { wrongKey, wrongSecret } from '../../lib/suite/flawed-requests.ts'
import { onEachEndpoint } from '../../lib/suite/rule.ts'
import type { NamedRequest } from './credentials.ts'

/** States of each of the three required headers. */
const states = ['valid', 'absent', 'blank', 'wrong'] as const
type State = (typeof states)[number]

interface Cell {
  readonly name: string
  readonly key: State
  readonly secret: State
  readonly version: State
}

/** All 64 cells of {valid, absent, blank, wrong} for key, secret and version. */
const cells: readonly Cell[] = states.flatMap((key) =>
  states.flatMap((secret) => states.map((version) => cellOf(key, secret, version))),
)

/** The combinations on every known endpoint and an unknown one. */
export function combinations(context: SuiteContext): readonly NamedRequest[] {
  const onUnknown = context.chosen('authentication/no-bypass', 'combinations on an unknown endpoint', cells)
  return [
    ...onKnownEndpoints(context),
    ...onUnknown.map((cell) => ({
      name: `${cell.name}-unknown-endpoint`,
      request: combined(context.unknownEndpoint('combinations'), cell, context),
    })),
  ]
}

const onKnownEndpoints = onEachEndpoint(({ request }, context) =>
  cells.map((cell) => ({ name: cell.name, request: combined(request, cell, context) })),
)

/** Input that is known to be invalid, plus one flaw of key, secret or version. */
export const withInvalidInput = onEachEndpoint(({ request, path, invalidQuery }, context) => {
  if (invalidQuery === null) return []
  const flawed = states.filter((state) => state !== 'valid')
  const flaws = flawed.flatMap((state) => [
    cellOf(state, 'valid', 'valid'),
    cellOf('valid', state, 'valid'),
    cellOf('valid', 'valid', state),
  ])
  return context.chosen('authentication/no-bypass', 'flaws beside invalid input', flaws).map((cell) => ({
    name: `input-invalid-${cell.name}`,
    request: combined(request.to(`${path}?${invalidQuery}`), cell, context),
  }))
})

function cellOf(key: State, secret: State, version: State): Cell {
  return { name: `key-${key}-secret-${secret}-version-${version}`, key, secret, version }
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
