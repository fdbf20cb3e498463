import { cells, multiFlawedCells, type Cell } from '../../lib/fuzz/request-rows.ts'
import { answersOneOf, neverSucceeds } from '../../lib/judge/judge.ts'
import { example, flawedRequests, onEachEndpoint, wrongKey, wrongSecret } from '../../lib/run/plan/cases.ts'
import type { Example, FlawedRequest } from '../../lib/run/plan/cases.ts'
import { cellRow } from '../../lib/run/plan/fuzz.ts'
import { only, type SuiteContext, type TestRequest } from '../../lib/run/plan/suite-context.ts'

/** The combinations for every known endpoint and an unknown one. */
export function combinations(context: SuiteContext): readonly Example[] {
  const onUnknown = context.byProfile({
    all: cells,
    gate: only(cells, 'key-valid-secret-wrong-version-valid', 'key-absent-secret-absent-version-valid'),
    because: 'the known endpoint gets every combination',
  })
  return [
    ...onKnownEndpoints(context),
    ...onUnknown.map((cell) =>
      judged(`${cell.name}-unknown-endpoint`, context.unknownEndpoint('combinations'), cell, context),
    ),
  ]
}

const onKnownEndpoints = onEachEndpoint((endpoint, context) =>
  cells.map((cell): Example => {
    const plain = judged(cell.name, endpoint.request, cell, context)
    const row = cellRow(context, endpoint, multiFlawedCells.indexOf(cell))
    return row === null ? plain : { ...plain, request: row.request, check: row.check, plain }
  }),
)

/** Known invalid input plus one flaw in the key, secret or version. */
export const withInvalidInput = onEachEndpoint(({ request, path, invalidQuery }, context) => {
  if (invalidQuery === null) return []
  const flaws = cells.filter((cell) => cell.flaws === 1)
  return context
    .byProfile({
      all: flaws,
      gate: only(
        flaws,
        'key-absent-secret-valid-version-valid',
        'key-valid-secret-wrong-version-valid',
        'key-valid-secret-valid-version-wrong',
      ),
      because: 'one flaw of each field',
    })
    .map((cell) => judged(`input-invalid-${cell.name}`, request.to(`${path}?${invalidQuery}`), cell, context))
})

/** Sent by HEAD, which is GET without content, each with one certain flaw in the key, secret or version. The answer shows no code. */
export const byHead = onEachEndpoint((endpoint, context) => {
  if (endpoint.method !== 'GET') return []
  const flaws = flawedRequests(context, endpoint).filter(({ of }) => isOfField(of))
  const sent = context.byProfile({
    all: flaws,
    gate: only(flaws, 'api-key-absent', 'secret-key-wrong'),
    because: 'a combination without a credential, and one with a wrong credential',
  })
  return sent.map(({ name, request }) => {
    const head = request.method('HEAD')
    return example(`head-${name}`, head, neverSucceeds(context.documented(head)))
  })
})

function isOfField(of: FlawedRequest['of']): boolean {
  return of === 'api-key' || of === 'secret-key' || of === 'version'
}

/** A request with its three headers in the states given by a cell. */
function judged(name: string, plain: TestRequest, cell: Cell, context: SuiteContext): Example {
  const { unsupportedVersion } = context.fixtures
  const values = {
    wrongKey: wrongKey(context),
    wrongSecret: wrongSecret(context),
    unsupportedVersion,
  }
  const request = plain.apply(cell.change(values))
  return example(name, request, answersOneOf(context.documented(request)))
}
