import type { Deliverer } from '../../../lib/serve/reference/answer.ts'
import { whole } from '../../../lib/serve/reference/deliver.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'
import { coded, type Coding } from '../deliveries/coded.ts'

/** Services that use a coding which the request accepts, and say so. */
export const askedCodingVariants: readonly Variant[] = [
  {
    name: 'coded-as-asked-for',
    about: 'Bodies are coded with the first coding that the request accepts.',
    manner: () => ({ deliver: asAskedFor }),
  },
  {
    name: 'weights-of-codings-heeded',
    about: 'Bodies are coded in gzip where the request accepts it with a weight above 0; HEAD has no length.',
    manner: () => ({ deliver: byWeight }),
  },
]

const known: readonly Coding[] = ['gzip', 'x-gzip', 'deflate', 'br']

const byWeight: Deliverer = (outgoing, response) => {
  const asked = (response.req.headers['accept-encoding'] ?? '').split(/\s*,\s*/)
  if (asked.some((one) => /^gzip(?:;q=(?:1|0?\.[1-9]))?$/.test(one)))
    return coded(['gzip'])(outgoing, response)
  if (response.req.method !== 'HEAD') return whole(outgoing, response)
  response.writeHead(outgoing.status, [...outgoing.fields, 'transfer-encoding', 'chunked'])
  response.end()
}

const asAskedFor: Deliverer = (outgoing, response) => {
  const asked = (response.req.headers['accept-encoding'] ?? '').split(/\s*,\s*/)
  const coding = asked.flatMap((name) => known.filter((one) => one === name))[0]
  const answer = { ...outgoing, fields: [...outgoing.fields, 'vary', 'accept-encoding'] }
  return coding === undefined ? whole(answer, response) : coded([coding])(answer, response)
}
