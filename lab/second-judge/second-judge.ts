/**
 * A second judge of recorded HTTP exchanges, written from two texts alone: the specification of the
 * service ("spec") and RFC 9110 ("RFC"). Where neither speaks, it says `silent`. Each error code has a
 * condition ("When ..., the response is ..."); in one request it holds, fails, is open (the texts do not
 * settle it), or is free (this code and success are both fine). No order among flaws: each that holds is allowed.
 */

import { posix } from 'node:path'

/** The known facts about the service under test. */
export interface Service {
  basePath: string
  clients: { apiKey: string; secretKey: string; state: keyof typeof STATE_CODE | 'permitted' }[]
  endpoints: Endpoint[]
  unsupportedVersions: number[]
}
type Endpoint = { method: string; path: string; versions: number[]; inactive?: boolean } & Queries
type Queries = Record<'validQueries' | 'invalidQueries', string[]>
/** One recorded exchange, as transferred. */
export interface Recorded {
  request: { method: string; target: string; fields: Fields }
  answer: { status: number; fields: Fields; body: Uint8Array }
}
/** The opinion of the two texts about an exchange, the words it rests on, and the situation of the request. */
export type Opinion = { says: 'allowed' | 'forbidden' | 'silent'; because: string; situation: string }

type Truth = 'fails' | 'open' | 'free' | 'holds'
type Fields = [name: string, value: string][]
type Request = Recorded['request']
type Answer = Recorded['answer']

/** Spec, Authentication (A) and Errors (E) rules: the status of each code, and the condition that requires it. */
const RULES: Record<string, [status: number, rule: string, condition: string]> = {
  1001: [400, 'A2', 'the API key header is absent'],
  1002: [400, 'A3', 'the secret key header is absent'],
  1003: [400, 'A4', 'the version header is absent'],
  1006: [401, 'A5', 'the API key is not valid'],
  1007: [401, 'A6', 'the secret key is not valid'],
  1010: [400, 'E1', 'the requested endpoint does not exist under the requested version'],
  1011: [401, 'A8', 'the endpoint is inactive'],
  1012: [401, 'A7', 'no customer matches the credentials'],
  1013: [401, 'A9', 'the client is not permitted to use the endpoint'],
  1020: [429, 'E3', "the client's daily quota is used up"],
  1030: [400, 'E2', 'the input parameters are invalid'],
}
const sentence = (code: string, [status, rule, condition]: [number, string, string]): string =>
  `${rule} "When ${condition}, the response is ${status} with error_code ${code}"`
/** The code for each state of a client. */
const STATE_CODE = { 'no-customer': '1012', inactive: '1011', unauthorized: '1013', exhausted: '1020' }
const IS_JSON = 'spec, Endpoints "Responses, including errors, are JSON"'
const SHOWN = 'spec, Errors "Error body (JSON), returned with the HTTP status shown below"'
/** RFC 5.1: field names are case-insensitive. RFC 5.5: SP and HTAB around a value do not belong to it. */
const valuesOf = (fields: Fields, ...names: string[]): string[] =>
  fields.filter(([n]) => names.includes(n.toLowerCase())).map(([, v]) => v.replace(/^[ \t]+|[ \t]+$/g, ''))
const has = (fields: Fields, ...names: string[]): boolean => valuesOf(fields, ...names).length > 0
/** Parts of a situation that the judgement needs. */
const [OUTSIDE, NEAR] = ['path outside {base_url}/api/', 'path near a known path']
const [CONTENT, TRANSPORT] = ['content sent', 'transport may refuse']
/** The properties of the request that the judgement needs. */
interface Reading {
  parts: string[] // unusual properties of the request
  truth: Map<string, Truth> // the condition of each code
  wide: boolean // the texts do not cover such a request
  certain: string | null // the sentence that excludes success
}

/** Reads a credential. Neither text covers blank, repeated and oddly spaced values. */
function credential(values: string[], issued: string[]): 'absent' | 'blank' | 'unclear' | 'wrong' | 'issued' {
  const [value] = values
  if (value === undefined) return 'absent'
  if (values.length > 1) return 'unclear' // RFC 5.3 binds the sender, and only permits the recipient to combine them
  if (value === '') return 'blank'
  if (issued.includes(value)) return 'issued'
  // RFC 5.5: octets above 7F "SHOULD" be opaque data; a service that strips such spaces breaks no MUST.
  const texts = [value, Buffer.from(value, 'latin1').toString('utf8')]
  const loose = texts.map((v) => v.replace(/^[\s\x85]+|[\s\x85]+$/g, ''))
  return loose.some((v) => v === '' || issued.includes(v)) ? 'unclear' : 'wrong'
}

/** A path without case, escapes, parameters, dot segments and extra slashes (RFC 4.2.3: normalization is a MAY). */
function plain(path: string): string {
  const text = path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  const names = text.toLowerCase().split(/[/\\]+/)
  return posix.resolve('/', ...names.map((name) => name.replace(/;.*$/, '').trim()))
}

/** Reads the request: which conditions of the specification hold for it. */
function read(service: Service, request: Request): Reading {
  const reading: Reading = { parts: [], truth: new Map(), wide: false, certain: null }
  const { parts, truth } = reading
  const rank: Truth[] = ['fails', 'open', 'free', 'holds']
  /** Names a part of the situation ('' for none) and raises the truth of the codes that it affects. */
  const mark = (part: string, value: Truth, ...codes: string[]): void => {
    if (part !== '') parts.push(part)
    for (const code of codes)
      if (rank.indexOf(value) > rank.indexOf(truth.get(code) ?? 'fails')) truth.set(code, value)
  }
  const wide = (part: string): Reading => ({ ...reading, wide: true, parts: [part] })
  const { method, target, fields } = request
  // Requests that the spec does not cover. RFC 5.1, 5.5, 8.6: invalid names, values and lengths may be
  // rejected.
  const lengths = valuesOf(fields, 'content-length')
  const chunked = has(fields, 'transfer-encoding')
  const token = /^:?[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
  if (
    !token.test(method) ||
    // oxlint-disable-next-line no-control-regex -- control characters are the subject
    fields.some(([n, v]) => !token.test(n) || /[\0-\x08\x0a-\x1f\x7f]/.test(v)) ||
    lengths.length > (chunked ? 0 : 1) ||
    lengths.some((l) => !/^\d+$/.test(l))
  )
    return wide('malformed head')
  if (!target.startsWith('/')) return wide('target not in origin form')
  // Spec, Endpoints: "The base address is {base_url}. Paths start with /api/."
  const base = service.basePath.replace(/\/+$/, '')
  const [path = '', ...rest] = target.split('?')
  const query = rest.join('?')
  if (!path.startsWith(`${base}/api/`)) return { ...reading, parts: [OUTSIDE] }
  const exact = service.endpoints.filter((e) => base + e.path === path)
  const at = exact.length > 0 ? exact : service.endpoints.filter((e) => plain(base + e.path) === plain(path))
  const here = at.filter((e) => e.method === method)
  // Methods: the spec shows GET, and the service may have others. The spec does not cover another method, or
  // one that the path does not have.
  const shown = method === 'GET' || service.endpoints.some((e) => e.method === method)
  if (!shown || (at.length > 0 && here.length === 0))
    return wide(/^(HEAD|OPTIONS)$/.test(method) ? `method ${method}` : 'another method')
  const near = exact.length === 0 && at.length > 0

  // Credentials: spec, Authentication, the header table and rules 2, 3, 5, 6, 7.
  const [apiValues, secretValues] = [valuesOf(fields, 'x-api-key'), valuesOf(fields, 'x-secret-key')]
  const issued = (name: 'apiKey' | 'secretKey'): string[] => service.clients.map((c) => c[name])
  const api = credential(apiValues, issued('apiKey'))
  const secret = credential(secretValues, issued('secretKey'))
  if (api === 'absent') mark('api key absent', 'holds', '1001')
  if (api === 'wrong') mark('api key wrong', 'holds', '1006')
  if (api === 'blank') mark('api key blank', 'open', '1001', '1006') // absent or not valid: certainly one of the two
  if (api === 'unclear')
    mark('api key unclear', 'open', '1001', '1006', '1007', '1011', '1012', '1013', '1020', '1030')
  if (secret === 'absent') mark('secret absent', 'holds', '1002')
  if (secret === 'wrong') mark('secret wrong', 'holds', '1007')
  if (secret === 'blank') mark('secret blank', 'open', '1002', '1007')
  if (secret === 'unclear') mark('secret unclear', 'open', '1002', '1007', '1012', '1030')
  if (api === 'blank' || secret === 'blank')
    reading.certain =
      'spec "Every request must carry all three headers": a blank one is absent (A2, A3) or not valid (A5, A6)'
  // "Secret paired with the API key": is an issued secret valid without its key? Left open.
  if (secret === 'issued' && api !== 'issued') mark('', 'open', '1007')
  // A7: wrong credentials do not match a customer either. Whether A7 then applies in addition to A5 and A6 is
  // left open.
  if ([api, secret].some((c) => c === 'wrong' || c === 'blank')) mark('', 'open', '1012')
  // State of the client: "x-api-key ... Identifies the client application", so a bad secret does not change
  // A9 and E3.
  const owners = api === 'issued' ? service.clients.filter((c) => c.apiKey === apiValues[0]) : []
  const pair = secret === 'issued' ? owners.find((c) => c.secretKey === secretValues[0]) : undefined
  if (api === 'issued' && secret === 'issued' && !pair) {
    mark('secret of another client', 'open', '1006', '1007', '1012')
    reading.certain = 'spec, Authentication "x-secret-key ... Secret paired with the API key"'
  }
  for (const { state } of pair ? [pair] : owners) {
    if (state === 'permitted') continue
    const hereOnly = state === 'inactive' || state === 'unauthorized' // A8 and A9 need an existing endpoint
    const sure = pair
      ? !hereOnly || exact.length > 0
      : owners.length === 1 && state !== 'no-customer' && (!hereOnly || exact.length > 0)
    mark(`client ${state}`, sure ? 'holds' : 'open', STATE_CODE[state])
  }

  // Version: spec, the header table, rule A4, E1, and Versioning.
  const versions = here.flatMap((e) => e.versions)
  const [version, ...more] = valuesOf(fields, 'x-version')
  const number = Number(version)
  const named = [...service.unsupportedVersions, ...service.endpoints.flatMap((e) => e.versions)]
  const known = named.includes(number)
  if (version === undefined) {
    // A4 is explicit; "default 1" in addition can only matter for E1
    mark('version absent', 'holds', '1003')
    if (here.length > 0 && !versions.includes(1)) mark('without version 1', 'open', '1010')
  } else if (more.length > 0) mark('version repeated', 'open', '1003', '1010', '1030')
  else if (version === '') {
    mark('version blank', 'open', '1003', '1010', '1030')
    reading.certain ??=
      'spec, Authentication, x-version "integer version number", required: a blank one is absent (A4) or no number'
  } else if (Number.isSafeInteger(number) && String(number) === version && (number >= 0 || known)) {
    if (here.length > 0 && !versions.includes(number))
      mark(known ? 'version without the endpoint' : 'version not known', known ? 'holds' : 'open', '1010')
  } else if (/[\d\x80-\xff]/.test(version)) mark('version oddly written', 'open', '1010', '1030') // '01', '+1', '1.0': not shown
  else {
    mark('version not an integer', 'holds', '1010')
    mark('', 'open', '1030')
  } // is a header an input parameter? Not shown
  // Endpoint: A8 and E1.
  const endpoint = here.find((e) => e.versions.includes(number)) ?? here[0]
  if (!endpoint) mark('endpoint unknown', 'holds', '1010')
  if (near) mark(NEAR, 'open', '1010')
  if (endpoint?.inactive) mark('endpoint inactive', near ? 'open' : 'holds', '1011')
  // Input: E2. Spec, Endpoints: "No body"; request parameters "not shown". RFC 9.3.1: content in GET has no defined semantics.
  const listed = (queries: string[]): boolean =>
    target !== `${path}?` && queries.some((q) => q.replace(/^\?/, '') === query)
  if (chunked || lengths.some((l) => Number(l) > 0)) mark(CONTENT, 'open', '1030')
  if (!endpoint || near) {
    if (query !== '') mark('query sent', 'open', '1030')
  } else if (listed(endpoint.invalidQueries)) mark('query invalid', 'holds', '1030')
  else if (!listed(endpoint.validQueries)) mark('query undocumented', 'free', '1030')
  // RFC 4.1 (a long target, its grammar), 5.4 (large fields), 7.2 (one Host): the server itself may refuse
  // these.
  const hosts = valuesOf(fields, 'host').length
  if (
    target.length > 8000 ||
    fields.reduce((sum, [n, v]) => sum + n.length + v.length, 0) > 8000 ||
    hosts > 1 ||
    (hosts === 0 && !has(fields, ':authority')) ||
    !/^(?:[\w\-.~!$&'()*+,;=:@/?]|%[0-9a-f]{2})*$/i.test(target)
  )
    parts.push(TRANSPORT)
  const flaw = Object.entries(RULES).find(([code]) => truth.get(code) === 'holds')
  return flaw ? { ...reading, certain: sentence(...flaw) } : reading
}

/** The content as JSON; `odd` when it is JSON in an encoding other than UTF-8 (the spec names none). */
function parse(body: Uint8Array): { kind: 'json' | 'odd' | 'not'; value?: unknown } {
  for (const encoding of ['utf-8', 'latin1']) {
    try {
      const text = new TextDecoder(encoding, { fatal: true }).decode(body)
      return { kind: encoding === 'utf-8' ? 'json' : 'odd', value: JSON.parse(text) as unknown }
    } catch {
      /* the next encoding */
    }
  }
  return { kind: 'not' }
}

/** Whether RFC 9110, but not the spec, allows this status because of the request. */
function asked(fields: Fields, status: number, content: boolean): boolean {
  const asks = (...names: string[]): boolean => has(fields, ...names)
  const ranges = valuesOf(fields, 'accept').join().toLowerCase().split(',')
  const range = /^[ \t]*(application\/(json|\*)|\*\/\*)[ \t]*(;[ \t]*q=(1|0\.\d*[1-9]).*)?$/
  const json = ranges.some((r) => range.test(r))
  return (
    (status === 406 && asks('accept') && !json) || // RFC 12.5.1
    (status === 412 && asks('if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since')) || // RFC 13.1
    (status === 416 && asks('range')) ||
    (status === 417 && asks('expect')) || // RFC 14.2, 10.1.1
    ([400, 411, 413, 415].includes(status) && content)
  ) // RFC 9.3.1 "might lead some implementations to reject the request"
}

/** What RFC 9110 forbids in the answer regardless of the specification, or null. */
function breach(request: Request, { status, fields, body }: Answer): string | null {
  const asks = (...names: string[]): boolean => has(request.fields, ...names)
  if (!Number.isInteger(status) || status < 100 || status > 599)
    return 'RFC 15 "Values outside the range 100..599 are invalid"'
  if (body.length > 0 && request.method === 'HEAD')
    return 'RFC 9.3.2 "the server MUST NOT send content in the response"'
  if (body.length > 0 && (status < 200 || [204, 205, 304].includes(status)))
    return 'RFC 6.4.1, 15.3.6: 1xx, 204, 205 and 304 "do not include content"'
  if (status === 101 && !asks('upgrade'))
    return 'RFC 7.8 "MUST NOT switch to a protocol that was not indicated by the client"'
  if (status === 206 && !asks('range')) return 'RFC 15.3.7 206 "is successfully fulfilling a range request"'
  if (status === 304 && !(asks('if-none-match', 'if-modified-since') && /^(GET|HEAD)$/.test(request.method)))
    return 'RFC 15.4.5 304 "indicates that a conditional GET or HEAD request has been received"'
  if (status === 401 && !valuesOf(fields, 'www-authenticate').some((v) => v !== ''))
    return 'RFC 15.5.2 "server generating a 401 response MUST send a WWW-Authenticate header field containing at least one challenge"'
  if (status === 405 && !has(fields, 'allow'))
    return 'RFC 15.5.6 "MUST generate an Allow header field in a 405 response"'
  return null
}

type Said = Omit<Opinion, 'situation'>
const allowed = (because: string): Said => ({ says: 'allowed', because })
const forbidden = (because: string): Said => ({ says: 'forbidden', because })
const silent = (because: string): Said => ({ says: 'silent', because })

/** The opinion on the answer, based on the specification and the request. */
function judge({ truth, certain, wide, parts }: Reading, request: Request, { status, body }: Answer): Said {
  const [near, transport] = [parts.includes(NEAR), parts.includes(TRANSPORT)]
  if (parts.includes(OUTSIDE))
    return silent('spec, Endpoints "Paths start with /api/": nothing is said of other paths')
  if (status < 200) return silent('RFC 15.2: an interim response; the final one is not in the record')
  const open = parts.includes(CONTENT) || [...truth.values()].includes('open')
  const { kind, value } = parse(body)
  const object: { readonly error_code?: unknown; readonly error_message?: unknown } =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  const { error_code: code, error_message: message } = object
  const rule = typeof code === 'string' && Object.hasOwn(RULES, code) ? RULES[code] : undefined
  if (rule && rule[0] !== status) return forbidden(`${SHOWN}: ${String(code)} is shown under ${rule[0]}`)
  if (status < 300) {
    if (wide) return silent('neither text says how this kind of request is served')
    if (certain) return forbidden(certain)
    if (status === 206 || ((status === 204 || status === 205) && request.method !== 'GET'))
      return silent('spec: ranges, other payloads not shown')
    if (kind === 'not') return forbidden(IS_JSON)
    if (kind === 'odd' || (typeof code === 'string' && code !== ''))
      return silent('spec: encoding of JSON, and response body of a success, not shown')
    if (open) return silent('the texts do not settle whether the request has a flaw')
    if (status !== 200) return silent('spec names no status for success')
    return allowed('no rule of the spec refuses this request')
  }
  // The error object, for any failure. Extra properties, any order, any wording: spec, Versioning,
  // non-breaking 2, 3, 5.
  if ('error_code' in object || 'error_message' in object) {
    if (typeof code !== 'string' || typeof message !== 'string')
      return forbidden('spec, Errors "error_code | string", "error_message | string"')
    if (!rule) return forbidden('spec, Errors, error_code "Code from the tables below"')
    if (wide || kind === 'odd')
      return silent('neither text says how this kind of request is refused, or JSON encoded')
    const holds = truth.get(code) ?? 'fails'
    const words = sentence(code, rule)
    if (holds === 'holds' || holds === 'free') return allowed(words)
    if (holds === 'open') return silent(`open whether this request is meant by ${words}`)
    if (transport && code === '1030') return silent('RFC 5.4 "an appropriate 4xx (Client Error) status code"')
    return forbidden(certain ?? `${words}: that is not so here`)
  }
  if (status < 400 && certain && !wide && !near) return forbidden(certain) // for 304, also RFC 13.2.1: preconditions are ignored then
  if (status < 400)
    return status === 304 && !wide && !open
      ? allowed('RFC 13.1, 15.4.5: a conditional GET')
      : silent('the spec does not speak of redirects')
  if (status === 429) return silent('spec, Limits "any per-second or per-minute rate limits: not shown"')
  if ([502, 503, 504, 505, 407, 408, 414, 421, 431].includes(status))
    return silent('an answer of what carries HTTP: a gateway, a proxy, a limit of size or time')
  if (wide && (status < 500 || status === 501))
    return silent('neither text says how this kind of request is refused') // 501: RFC 15.6.2
  if ((status < 500 && (transport || near)) || asked(request.fields, status, parts.includes(CONTENT)))
    return silent('RFC leaves refusing such a request to the server')
  return forbidden(kind === 'not' && status < 500 ? IS_JSON : SHOWN)
}

/** Says whether the specification and RFC 9110 allow or forbid this exchange, or do not cover it. */
export function secondOpinion(service: Service, recorded: Recorded): Opinion {
  const { request, answer } = recorded
  const reading = read(service, request)
  const situation = reading.parts.join(', ') || 'no flaw'
  const verdict = judge(reading, request, answer)
  const broken = breach(request, answer)
  if (broken && verdict.says !== 'forbidden') return { ...forbidden(broken), situation }
  // RFC 8.3: Content-Type is a SHOULD, and without it the recipient MAY look at the data.
  const json = /^application\/([\w.-]+\+)?json[ \t]*(;|$)/i
  const mislabelled = valuesOf(answer.fields, 'content-type').some((t) => !json.test(t))
  if (verdict.says === 'allowed' && answer.body.length > 0 && mislabelled)
    return { ...silent('RFC 8.3: JSON under another Content-Type; a SHOULD'), situation }
  return { ...verdict, situation }
}
