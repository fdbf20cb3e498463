import { dice } from '../../../lib/serve/reference/dice.ts'
import { usualOrder, type CheckName, type Reading } from '../../../lib/serve/reference/reading.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'
import { shipped } from './shipped.ts'

/** The specification sets no order among flaws: Authentication and Errors state only the answer to each. */
export const orderVariants: readonly Variant[] = [
  ...singles(),
  shipped('order-reversed'),
  inOrder(
    'order-version-before-credentials',
    'The version and the endpoint are looked at before anybody is asked who they are.',
    first('version-present', 'endpoint-in-version', 'endpoint-active'),
  ),
  inOrder(
    'order-version-after-credentials',
    'The version is looked at once it is known who asks and what they may do.',
    first(
      'api-key-present',
      'secret-key-present',
      'api-key-valid',
      'secret-key-valid',
      'customer',
      'endpoint-active',
      'permitted',
    ),
  ),
  inOrder(
    'order-each-credential-in-turn',
    'The key is looked for and up, then the secret, then the version.',
    first('api-key-present', 'api-key-valid', 'secret-key-present', 'secret-key-valid', 'customer'),
  ),
  inOrder(
    'order-secret-before-key',
    'The secret is looked for and up before the key, each by itself.',
    first('secret-key-present', 'secret-key-valid', 'api-key-present', 'api-key-valid'),
    { looksUp: 'each' },
  ),
  inOrder(
    'order-endpoint-before-everything',
    'Routing comes first: an unknown path or version is refused before anything else is read.',
    first('endpoint-in-version', 'version-present'),
  ),
  inOrder(
    'order-endpoint-last',
    'Routing comes last: an unknown path or version is refused when all else is well.',
    last('version-present', 'endpoint-in-version'),
  ),
  inOrder(
    'order-presence-last',
    'What is missing is reported when nothing that is there is wrong.',
    last('version-present', 'secret-key-present', 'api-key-present'),
  ),
  inOrder(
    'order-standing-before-secret',
    'What becomes of a client is looked at before its secret.',
    first('api-key-present', 'api-key-valid', 'customer', 'endpoint-active', 'permitted'),
  ),
  inOrder(
    'order-quota-before-secret',
    'The quota counts every request that names a client, whatever else is wrong with it.',
    first('api-key-present', 'api-key-valid', 'quota'),
  ),
  inOrder('order-quota-last', 'The quota counts nothing but what is served.', last('quota')),
  inOrder(
    'order-input-before-credentials',
    'The query is validated before the credentials, as by a schema in front.',
    first('input', 'version-present', 'endpoint-in-version'),
  ),
  {
    name: 'order-drawn-for-each-request',
    about: 'The checks are made side by side, and whichever fails first is reported: another one each time.',
    manner: () => {
      const roll = dice()
      return { reading: { order: () => shuffled(usualOrder, roll) } }
    },
  },
  {
    name: 'order-turning-with-each-request',
    about: 'Two instances behind a balancer take turns, one with the usual order and one with the opposite.',
    manner: () => {
      let turn = 0
      const opposite = usualOrder.toReversed()
      return {
        reading: {
          order: () => {
            turn += 1
            return turn % 2 === 0 ? opposite : usualOrder
          },
        },
      }
    },
  },
]

/** Each check before all others. The check for the key's presence already comes first. */
function singles(): readonly Variant[] {
  return usualOrder
    .filter((check) => check !== 'host' && check !== 'api-key-present')
    .map((check) =>
      check === 'quota'
        ? shipped('order-quota-first')
        : inOrder(`order-${check}-first`, `The check ${check} is made before all others.`, first(check)),
    )
}

function inOrder(
  name: string,
  about: string,
  order: readonly CheckName[],
  reading: Partial<Reading> = {},
): Variant {
  return { name, about, manner: () => ({ reading: { ...reading, order: () => order } }) }
}

/** The usual order, with these checks first. */
function first(...checks: readonly CheckName[]): readonly CheckName[] {
  return [...checks, ...usualOrder.filter((check) => !checks.includes(check))]
}

function last(...checks: readonly CheckName[]): readonly CheckName[] {
  return [...usualOrder.filter((check) => !checks.includes(check)), ...checks]
}

function shuffled<T>(items: readonly T[], roll: (sides: number) => number): readonly T[] {
  return items
    .map((item) => ({ item, at: roll(1_000_000) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
}
