// How developers read described parameters. Each has another endpoint, whose query an endpoints file
// describes with a JSON Schema.
import { answer, decoded, listPath, refusal, success } from './base.mjs'
import { conformant, wrong } from './serve.mjs'

/** An entry of an endpoints file, by its path below `/api`. */
const below = (path, properties, invalidQuery, required = []) => ({
  method: 'GET',
  path: `/api${path}`,
  versions: [1],
  query: { type: 'object', properties, ...(required.length > 0 ? { required } : {}) },
  success: { type: 'object', required: ['items'], properties: { items: { type: 'array' } } },
  invalidQuery,
})

const found = () => success({ items: [{ id: 'itm_1' }, { id: 'itm_2' }], more: false })

/**
 * A service with this endpoint in addition to the list. Its headers are checked first, like those of the
 * list. Then `judge(query, request)` returns true (served), false (refused with 1030) or its own answer.
 */
const beside =
  (kind) =>
  (entry, judge, early = () => undefined) => {
    const handle = (request, honest, { used }) => {
      const cut = early(request)
      if (cut) return cut
      if (request.path !== entry.path) return honest(request)
      const plain = request.but({ path: listPath, query: new URLSearchParams() })
      const refused = answer(plain, used)
      if (refused.status !== 200) return refused
      const judged = judge(request.query, request)
      if (judged !== true) return judged || refusal('1030')
      honest(plain) // counts it
      return found()
    }
    return { ...kind.serving(handle), endpoints: [entry] }
  }

const [wrongEndpoint, oddEndpoint] = [beside(wrong), beside(conformant)]

/** Checks every value of every parameter. Parameters without a check are ignored. */
const checked =
  (checks, required = []) =>
  (query) =>
    required.every((name) => query.has(name)) &&
    Object.entries(checks).every(([name, holds]) => query.getAll(name).every(holds))

const isNumber = (text) => /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)
const inRange = (min, max) => (number) => number >= min && number <= max
const within = (min, max) => (text) => isNumber(text) && inRange(min, max)(Number(text))
const whole = (min, max) => (text) => within(min, max)(text) && Number.isInteger(Number(text))
const long = (min, max) => (text) => [...text].length >= min && [...text].length <= max
const orEmpty = (holds) => (text) => text === '' || holds(text)
const oneOf = (values) => (text) => values.includes(text)

const field = { type: 'string', enum: ['id', 'name', 'colour', 'logo'] }
const fields = { type: 'array', items: field, minItems: 1, maxItems: 3, uniqueItems: true }
const state = { type: 'string', enum: ['pending', 'active', 'closed'] }
const sized = (minLength, maxLength) => ({ type: 'string', minLength, maxLength })
const matching = (pattern, more) => ({ type: 'string', pattern, ...more })
const real = (minimum, maximum, more) => ({ type: 'number', minimum, maximum, ...more })
const integer = (minimum, maximum, more) => ({ ...real(minimum, maximum, more), type: 'integer' })
const page = (maximum) => integer(1, maximum)
const exclusive = { type: 'number', exclusiveMinimum: 0 }
const uriTooLong = { status: 414, headers: { connection: 'close', 'content-length': 0 } }
const account = matching('^acc_[a-z0-9]{6}$')
const words = '^[A-Za-z]+( [A-Za-z]+)*$'

/**
 * The value of a decimal digit in ASCII, Arabic, Persian, Devanagari or full width, like Java's
 * Character.digit(); otherwise NaN.
 */
function digitOf(character) {
  const point = character.codePointAt(0)
  return point - ([0x30, 0x660, 0x6f0, 0x966, 0xff10].find((zero) => inRange(zero, zero + 9)(point)) ?? NaN)
}

/** Reads a text like Java's Integer.parseInt(). NaN where Java throws. */
function parsedAsJava(text) {
  const [, sign, digits] = /^([+-]?)(.+)$/s.exec(text) ?? []
  if (digits === undefined) return Number.NaN
  const value = [...digits].reduce((sum, character) => sum * 10 + digitOf(character), 0)
  return sign === '-' ? -value : value
}

/** The pairs of a query according to RFC 3986 only: a plus is a plus. Null if an escape is invalid. */
function pairsOf(url) {
  const [, query = ''] = url.split(/\?(.*)/s)
  const pairs = query.split('&').filter((pair) => pair !== '')
  const read = pairs.map((pair) => pair.split(/=(.*)/s).map((part) => decoded(part, null)))
  return read.flat().includes(null) ? null : read.map(([name, value = '']) => [name, value])
}

export const strangers = {
  // page may be 1 to 50; 51 is served, 52 is not. "When the input parameters are invalid, the response is
  // 400 with error_code 1030".
  'one-beyond-the-maximum-is-served': wrongEndpoint(
    below('/switches/list', { page: page(50), state }, 'page=abc'),
    checked({ page: whole(1, 51), state: oneOf(state.enum) }),
  ),
  // label may have 3 to 16 characters; one of 16 is refused with 1030. 1030 is for "invalid input
  // parameters", and this one is valid.
  'the-longest-text-is-refused': wrongEndpoint(
    below('/customizations/search', { label: sized(3, 16), page: page(1000) }, 'page=0'),
    checked({ label: long(3, 15), page: whole(1, 1000) }),
  ),
  // holder may have 4 to 12 characters, which JSON Schema counts as code points; this counts UTF-16 units,
  // so that two emoji are enough and seven are too many. "When the input parameters are invalid, the
  // response is 400 with error_code 1030".
  'length-in-utf-16-units': wrongEndpoint(
    below('/cards/search', { holder: sized(4, 12) }, 'holder=x', ['holder']),
    checked({ holder: (text) => text.length >= 4 && text.length <= 12 }, ['holder']),
  ),
  // state is pending, active or closed; ACTIVE and Closed are served, too. "When the input parameters are
  // invalid, the response is 400 with error_code 1030".
  'enum-in-any-case': wrongEndpoint(
    below('/switches/by-state', { state, page: page(20) }, 'state=unheard-of'),
    checked({ state: (text) => state.enum.includes(text.toLowerCase()), page: whole(1, 20) }),
  ),
  // share is more than 0 (exclusiveMinimum) and at most 1; 0 itself is served. "When the input parameters
  // are invalid, the response is 400 with error_code 1030".
  'zero-where-more-than-zero-is-wanted': wrongEndpoint(
    below('/cards/by-share', { share: { ...exclusive, maximum: 1 }, page: page(100) }, 'share=2'),
    checked({ share: within(0, 1), page: whole(1, 100) }),
  ),
  // limit is an integer of 1 to 100; it is cut, so that 1.5 and 100.9 are served. "When the input parameters
  // are invalid, the response is 400 with error_code 1030".
  'fractions-are-cut-off': wrongEndpoint(
    below('/webhooks/list', { limit: page(100) }, 'limit=abc'),
    checked({ limit: (text) => isNumber(text) && within(1, 100)(String(Math.trunc(Number(text)))) }),
  ),
  // account is required; without it everything is listed. "When the input parameters are invalid, the
  // response is 400 with error_code 1030".
  'the-required-may-be-missing': wrongEndpoint(
    below('/accounts/cards', { account, page: page(50) }, 'account=nobody', ['account']),
    checked({ account: (text) => /^acc_[a-z0-9]{6}$/.test(text), page: whole(1, 50) }),
  ),
  // What is no integer is refused with 400 / 1030, an integer out of bounds with 422 / 1030. "When the input
  // parameters are invalid, the response is 400 with error_code 1030".
  'out-of-bounds-is-a-422': wrongEndpoint(
    below('/switches/history', { days: integer(1, 365) }, 'days=abc'),
    (query) => {
      const days = query.getAll('days')
      if (!days.every(whole(-Infinity, Infinity))) return false
      return days.every(whole(1, 365)) || { ...refusal('1030'), status: 422 }
    },
  ),
  // code is two capitals and four digits, and nothing more; AB1234x is served, since only the beginning is
  // looked at. "When the input parameters are invalid, the response is 400 with error_code 1030".
  'the-pattern-ends-nowhere': wrongEndpoint(
    below('/cards/by-code', { code: matching('^[A-Z]{2}[0-9]{4}$') }, 'code=none', ['code']),
    checked({ code: (text) => /^[A-Z]{2}\d{4}/.test(text) }, ['code']),
  ),
  // size is 5 to 100 in steps of 5; 7 is served. "When the input parameters are invalid, the response is 400
  // with error_code 1030".
  'steps-are-ignored': wrongEndpoint(
    below('/customizations/pages', { size: integer(5, 100, { multipleOf: 5 }), page: page(10) }, 'size=1000'),
    checked({ size: whole(5, 100), page: whole(1, 10) }),
  ),

  // Number() reads limit: 7.0, +7, 007, 7e0, 0x7 and a 7 between spaces are 7, an empty value is 0.
  // Conformant: how a number is written in a query is not shown, and JSON Schema calls 7.0 an integer; what
  // is out of bounds is refused.
  'numbers-as-a-script-reads-them': oddEndpoint(
    below('/webhooks/list', { limit: page(100), ratio: real(0.5, 2) }, 'limit=abc'),
    checked({
      limit: (text) => Number.isInteger(Number(text)) && inRange(1, 100)(Number(text)),
      ratio: (text) => inRange(0.5, 2)(Number(text)),
    }),
  ),
  // after is read as a whole number of any length: only digits without leading zeros, so that 7.0, +7, 007
  // and 7e0 are refused with 1030, and 9007199254740993 is one beyond the maximum. Conformant: how a number
  // is written in a query is not shown, and the bound is kept to the last digit.
  'plain-digits-read-exactly': oddEndpoint(
    below('/events/list', { after: integer(0, Number.MAX_SAFE_INTEGER + 1) }, 'after=-1'),
    checked({ after: (text) => /^(0|[1-9]\d*)$/.test(text) && BigInt(text) <= 2n ** 53n }),
  ),
  // Integer.parseInt() reads page: +7, 007 and Arabic or full-width digits are numbers, 7.0 and 7e0 are not
  // and get 1030. Conformant: how a number is written in a query is not shown; what is out of bounds is
  // refused.
  'numbers-as-java-reads-them': oddEndpoint(
    below('/switches/list', { page: page(50), state }, 'page=51'),
    checked({ page: (text) => inRange(1, 50)(parsedAsJava(text)), state: oneOf(state.enum) }),
  ),
  // page= and min_amount= are served as if they were not there, as binders of forms do. Conformant: an empty
  // text is no number that could be out of bounds, and that an optional number may be left empty is not
  // excluded; for the text beside them it is a value, and too short.
  'an-empty-number-is-not-given': oddEndpoint(
    below('/cards/list', { page: page(99), min_amount: real(1, 5000), holder: sized(1, 40) }, 'min_amount=0'),
    checked({ page: orEmpty(whole(1, 99)), min_amount: orEmpty(within(1, 5000)), holder: long(1, 40) }),
  ),
  // A parameter that is not described, or given twice, is refused with 1030, also where both values are the
  // same. Conformant: "When the input parameters are invalid, the response is 400 with error_code 1030", and
  // what else is invalid is not shown.
  'unknown-and-repeated-are-refused': oddEndpoint(
    below('/customizations/search', { label: sized(3, 16), page: page(1000) }, 'label=ab'),
    (query) =>
      [...query.keys()].every((name) => name === 'label' || name === 'page') &&
      new Set(query.keys()).size === query.size &&
      checked({ label: long(3, 16), page: whole(1, 1000) })(query),
  ),
  // fields is a list with commas (fields=id,name), of which the last one given counts, as does the last
  // page. Conformant: how a list is written in a query, and which of repeated parameters counts, is not
  // shown; the list itself is held to its schema.
  'a-list-with-commas': oddEndpoint(
    below('/customizations/fields', { fields, page: page(5) }, 'fields=unheard-of'),
    (query) => {
      const { fields: given, page: number } = Object.fromEntries(query)
      const list = given?.split(',') ?? ['id']
      if (list.length > 3 || new Set(list).size < list.length || !list.every(oneOf(field.enum))) return false
      return number === undefined || whole(1, 5)(number)
    },
  ),
  // A request target of more than 8,000 bytes gets 414 without a body, and the connection ends, whatever
  // else is wrong. Conformant: the server in front has not handed it on, and RFC 9112, 3 asks for no more
  // than 8,000. No valid note is as long.
  'long-addresses-get-414': oddEndpoint(
    below('/notes/search', { note: { type: 'string', maxLength: 64 } }, 'note=' + 'x'.repeat(65)),
    checked({ note: long(0, 64) }),
    ({ url }) => Buffer.byteLength(url) > 8000 && uriTooLong,
  ),
  // Spaces around label are cut and it is composed (NFC) before it is counted: 12 letters with an accent
  // each are 12, however they are encoded. Conformant: which text a service makes of the bytes of a query is
  // not shown, and that text is held to the schema.
  'text-is-trimmed-and-composed': oddEndpoint(
    below('/customizations/labels', { label: { type: 'string', maxLength: 12 } }, 'label=abcdefghijklmnop'),
    checked({ label: (text) => long(0, 12)(text.trim().normalize('NFC')) }),
  ),
  // The query is read by RFC 3986 alone: + is a plus and not a space, and a broken escape is refused with
  // 1030. Conformant: that a query is an HTML form is not shown, and a space is written as %20.
  'a-plus-is-a-plus': oddEndpoint(
    below('/cards/by-name', { name: matching(words, { maxLength: 30 }), page: page(50) }, 'name=42'),
    (_, { url }) => {
      const pairs = pairsOf(url)
      const isName = (text) => new RegExp(words).test(text) && long(1, 30)(text)
      return pairs !== null && checked({ name: isName, page: whole(1, 50) })(new URLSearchParams(pairs))
    },
  ),
  // amount is 0.01 to 9999.99 in steps of 0.01, counted in decimal: 19.99 and 0.29 are served, though a
  // division of binary fractions has a rest, and 19.990 is 19.99; 1.005 and 1e2 are refused. Conformant:
  // multipleOf is said of the number, not of what a machine makes of it; how a number is written in a query
  // is not shown.
  'cents-are-decimal': oddEndpoint(
    below('/cards/by-amount', { amount: real(0.01, 9999.99, { multipleOf: 0.01 }) }, 'amount=1.005'),
    checked({ amount: (text) => /^\d{1,8}(\.\d{1,2}0*)?$/.test(text) && within(0.01, 9999.99)(text) }),
  ),
}
