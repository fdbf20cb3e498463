import type { TestRequest } from '../../lib/engine/test-request.ts'
import { wrongKey, wrongSecret } from '../../lib/suite/flawed-requests.ts'
import type { JudgedEndpoint, SuiteContext } from '../../lib/engine/suite-context.ts'

/** Ways in that some services leave open, each tried without credentials and with wrong ones. */
export function sideDoors(
  context: SuiteContext,
): readonly { readonly name: string; readonly stimulus: TestRequest }[] {
  return context.endpoints
    .filter(({ method }) => method === 'GET')
    .flatMap((endpoint) => {
      const strangers = [
        { who: 'without-credentials', request: endpoint.request.without('x-api-key', 'x-secret-key') },
        {
          who: 'with-a-wrong-secret',
          request: endpoint.request.with('x-secret-key', wrongSecret(context)),
        },
        ...(context.exhaustive
          ? [{ who: 'with-a-wrong-key', request: endpoint.request.with('x-api-key', wrongKey(context)) }]
          : []),
      ]
      return doors(endpoint).flatMap(({ door, open }) =>
        strangers
          // A query without credentials is among the closed doors, too.
          .filter(({ who }) => context.exhaustive || door !== 'query' || who !== 'without-credentials')
          .map(({ who, request }) => ({
            name: endpoint.named(`${door}-${who}`),
            stimulus: open(request),
          })),
      )
    })
}

interface Door {
  readonly door: string
  readonly open: (request: TestRequest) => TestRequest
}

function doors({ path }: JudgedEndpoint): readonly Door[] {
  return [
    ...byPath(path),
    ...byField,
    ...byQuery,
    { door: 'head', open: (request) => request.method('HEAD') },
  ]
}

/**
 * Near misses of the path, under which an endpoint may stand that is not shown, and which may be redirected. A doubled slash is
 * refused by many gateways and frameworks themselves, so nothing but a success is judged of it.
 */
function byPath(path: string): readonly Door[] {
  const lastSegment = path.slice(path.lastIndexOf('/') + 1)
  const before = path.slice(0, path.lastIndexOf('/'))
  const near = (request: TestRequest, target: string): TestRequest =>
    request.to(target).trait({ mayRedirect: true })

  return [
    { door: 'trailing-slash', open: (request) => near(request, `${path}/`) },
    {
      door: 'upper-case-segment',
      open: (request) => near(request, `${before}/${lastSegment.toUpperCase()}`),
    },
    {
      door: 'doubled-slash',
      open: (request) => near(request, `${before}//${lastSegment}`).trait({ observed: true }),
    },
  ]
}

/** Fields that mean something to gateways; what they answer to these by themselves is not judged. */
const byField: readonly Door[] = [
  ['x-forwarded-for', '127.0.0.1'],
  ['cookie', 'session=1; authenticated=true'],
  ['authorization', 'Basic YWRtaW46YWRtaW4='],
].map(([name = '', value = '']) => ({
  door: name,
  open: (request) => request.with(name, value).trait({ observed: true }),
}))

const byQuery: readonly Door[] = [{ door: 'query', open: (request) => request.withQuery('view=all') }]
