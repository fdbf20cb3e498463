import type { Deliverer } from '../../../lib/serve/reference/answer.ts'
import { whole } from '../../../lib/serve/reference/deliver.ts'
import { coded, type Coding } from '../deliveries/coded.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'

/** Services that code what they send in what the request accepts, and say so. */
export const askedCodingVariants: readonly Variant[] = [
  {
    name: 'coded-as-asked-for',
    about: 'Bodies are coded with the first coding that the request accepts.',
    manner: () => ({ deliver: asAskedFor }),
  },
]

const known: readonly Coding[] = ['gzip', 'x-gzip', 'deflate', 'br']

const asAskedFor: Deliverer = (outgoing, response) => {
  const asked = (response.req.headers['accept-encoding'] ?? '').split(/\s*,\s*/)
  const coding = asked.flatMap((name) => known.filter((one) => one === name))[0]
  const answer = { ...outgoing, fields: [...outgoing.fields, 'vary', 'accept-encoding'] }
  return coding === undefined ? whole(answer, response) : coded([coding])(answer, response)
}
