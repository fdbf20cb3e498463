import { isValidQuery, list } from '../../../lib/serve/reference/list.ts'
import type { Reading } from '../../../lib/serve/reference/reading.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'
import { percentDecoded } from '../../../lib/text/url.ts'

/** Which parameters are valid input. The specification shows none. */
export const inputVariants: readonly Variant[] = [
  input('unknown-parameters-refused', 'A parameter that is not known is invalid input.', (query) =>
    namesIn(query).every((name) => name === 'limit'),
  ),
  input('repeated-parameters-refused', 'A parameter that is repeated is invalid input.', (query) => {
    const names = namesIn(query)
    return new Set(names).size === names.length
  }),
  input(
    'more-than-20-parameters-refused',
    'More than 20 parameters are invalid input.',
    (query) => namesIn(query).length <= 20,
  ),
  input('long-parameters-refused', 'A parameter of more than 255 characters is invalid input.', (query) =>
    [...new URLSearchParams(query).values()].every((value) => value.length <= 255),
  ),
  input(
    'odd-parameter-names-refused',
    'A name of a parameter with other signs than letters and digits is invalid input.',
    (query) => namesIn(query).every((name) => /^[a-z\d]+$/i.test(name)),
  ),
  input(
    'broken-encoding-in-queries-refused',
    'A query that is not percent-encoded UTF-8 is invalid input.',
    (query) => percentDecoded(query) !== null,
  ),
  {
    name: 'first-of-repeated-parameters-counts',
    about: 'Of a repeated parameter the first value counts, and others are not looked at.',
    manner: () => ({
      reading: {
        isValidQuery: (query) => isValidQuery(withFirst(query)),
        list: (query) => list(withFirst(query)),
      },
    }),
  },
  {
    name: 'parameter-names-in-any-letter-case',
    about: 'The letter case of the names of parameters does not matter.',
    manner: () => ({
      reading: {
        isValidQuery: (query) => isValidQuery(inLowerCase(query)),
        list: (query) => list(inLowerCase(query)),
      },
    }),
  },
  needing('parameter-required', 'The list needs a page.', 'page=1'),
  needing('two-parameters-required', 'The list needs a page and its size.', 'page=1&size=10'),
  needing(
    'encoded-parameter-required',
    'The list needs a parameter whose name holds brackets.',
    'filter%5Bstate%5D=on&sort=-name%2Cid',
  ),
]

function input(name: string, about: string, also: Reading['isValidQuery']): Variant {
  return {
    name,
    about,
    manner: () => ({ reading: { isValidQuery: (query) => isValidQuery(query) && also(query) } }),
  }
}

/** A service whose list requires these parameters. */
function needing(name: string, about: string, query: string): Variant {
  const needed = namesIn(query)
  return {
    ...input(name, about, (given) => needed.every((one) => namesIn(given).includes(one))),
    settings: { TARGET_QUERY: query },
  }
}

function namesIn(query: string): readonly string[] {
  return [...new URLSearchParams(query).keys()]
}

function withFirst(query: string): string {
  const first = new URLSearchParams()
  for (const [name, value] of new URLSearchParams(query)) if (!first.has(name)) first.append(name, value)
  return first.toString()
}

function inLowerCase(query: string): string {
  const found = new URLSearchParams()
  for (const [name, value] of new URLSearchParams(query)) found.append(name.toLowerCase(), value)
  return found.toString()
}
