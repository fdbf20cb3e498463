import type { Bend } from '../../../lib/serve/reference/bend.ts'
import { becomes, failure, onAnswer } from '../../../lib/serve/reference/bending.ts'
import type { Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { breakingWith } from './breaking.ts'

const fault = breakingWith(
  { needs: 'described-input' },
  'fuzz/query',
  'errors/documented-pairs',
  'errors/body-shape',
)

type Card = Readonly<Record<string, unknown>>

/** The JSON object of a request that creates a card, or null. */
function cardOf({ method, path, body }: Call): Card | null {
  if (method !== 'POST' || path !== '/api/cards') return null
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}

/** Replaces a card by another one before checking it. */
function takingCardFor(change: (card: Card) => Card): Bend {
  return {
    see: (call) => {
      const card = cardOf(call)
      return card === null ? call : { ...call, body: JSON.stringify(change(card)) }
    },
  }
}

function makesCard({ method, path }: Call): boolean {
  return method === 'POST' && path === '/api/cards'
}

/** Slips of services that implement `docs/examples/cards.openapi.yaml`, which an endpoints file describes. */
export const describedInputFaults: readonly Fault[] = [
  fault('card-limit-above-maximum-accepted', 'A card may have a limit of one more than the maximum.', () =>
    takingCardFor((card) => (card['limit'] === 10_001 ? { ...card, limit: 10_000 } : card)),
  ),
  fault(
    'card-limit-at-minimum-refused',
    'A card of the least limit is refused, as if the minimum were exclusive.',
    () =>
      onAnswer((answer, call) => answer.refusal === null && cardOf(call)?.['limit'] === 0, {
        ...becomes('1030'),
        text: null,
      }),
  ),
  fault('card-limit-read-from-text', 'The limit of a card may be a text with a number in it.', () =>
    takingCardFor((card) =>
      typeof card['limit'] === 'string' && /^\d+$/.test(card['limit'])
        ? { ...card, limit: Number(card['limit']) }
        : card,
    ),
  ),
  fault('card-without-holder-accepted', 'A card is made without the holder that it must have.', () =>
    takingCardFor((card) => ({ holder: 'nobody', ...card })),
  ),
  fault('card-of-any-status-accepted', 'A card may have any text for its status.', () =>
    takingCardFor((card) => (typeof card['status'] === 'string' ? { ...card, status: 'active' } : card)),
  ),
  fault('card-not-checked-at-all', 'A card is made of whatever is sent.', () => ({
    skips: (check, call) => check === 'input' && makesCard(call),
  })),
  fault('card-holder-counted-in-bytes', "The length of a card's holder is counted in bytes.", () =>
    takingCardFor((card) =>
      typeof card['holder'] === 'string'
        ? { ...card, holder: 'x'.repeat(Buffer.byteLength(card['holder'])) }
        : card,
    ),
  ),
  fault('empty-body-fails', 'A card without a body is answered 500.', () =>
    onAnswer((answer, call) => answer.refusal === '1030' && makesCard(call) && call.body === '', {
      ...failure(500, 'unexpected end of input'),
      text: null,
    }),
  ),
  fault('broken-body-fails', 'A card of a body that is no JSON is answered 500.', () =>
    onAnswer((answer, call) => answer.refusal === '1030' && makesCard(call) && call.body.startsWith('{{'), {
      ...failure(500, 'unexpected token'),
      text: null,
    }),
  ),
  fault('card-with-empty-list-fails', 'A card with an empty list of tags is answered 500.', () =>
    onAnswer(
      (answer, call) => {
        const tags = cardOf(call)?.['tags']
        return answer.refusal === null && Array.isArray(tags) && tags.length === 0
      },
      { ...failure(500, 'reduce of empty array'), text: null },
    ),
  ),
  fault('card-with-null-accepted', 'A member of a card may be null, as if it were not there.', () =>
    takingCardFor((card) => Object.fromEntries(Object.entries(card).filter(([, value]) => value !== null))),
  ),
  fault('card-address-not-checked', 'Anything may stand in the address of a card.', () =>
    takingCardFor((card) => ('address' in card ? { ...card, address: { city: 'London' } } : card)),
  ),
  fault('card-in-path-not-checked', 'The card and the kind of a limit in a path are not checked.', () => ({
    see: (call) => ({
      ...call,
      path: call.path.replace(/^\/api\/cards\/[^/]+\/limits\/[^/]+$/, '/api/cards/c-1/limits/day'),
    }),
  })),
]
