import { listPath } from '../specification/endpoints.ts'
import { memberNames } from '../text/members.ts'
import { distance } from '../text/nearest.ts'

/** Ajv options for our own schemas; checking each against the meta-schema would take 20 ms. */
export const ownSchema = {
  meta: false,
  validateSchema: false,
  allErrors: true,
  verbose: true,
  allowUnionTypes: true,
  code: { source: true, esm: true },
} as const

/** Schema of a string, with a description of the expected value. */
export function stringLike(pattern: string, description: string) {
  return { type: 'string', pattern, description }
}

/** A segment `.` or `..`, percent-encoded or not, which leads to another path (RFC 3986, 6.2.2.3). */
const noDotSegment = '(?!.*/(?:\\.|%2[eE]){1,2}(?:/|$))'

/** A path character that needs no escape (RFC 3986, 3.3), or an escape. */
const pathCharacter = "(?:[\\w\\-.~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})"

const method = '[A-Z]+(?:-[A-Z]+)*'

/** The parts of a request, as schemas whose descriptions say what is expected. */
export const grammar = {
  method: stringLike(`^${method}$`, 'a method in capitals, such as GET'),
  /** For a path that a base URL may have. */
  prefix: stringLike(
    `^${noDotSegment}${pathCharacter}*$`,
    'a path prefix with other characters percent-encoded, without the segments . and ..',
  ),
  /** For a path under `/api/` with parameters, such as `/api/cards/{cardId}`. A parameter right after `/api/` would match every path. */
  template: stringLike(
    `^${noDotSegment}/api/(?![^/]*\\{)(?:${pathCharacter}|\\{[A-Za-z_][\\w.-]*\\})*$`,
    'a path from /api/, without query, fragment, white space and the segments . and .., other characters percent-encoded; parameters such as {cardId} only after a fixed first segment',
  ),
  /** For any endpoint except the list endpoint. */
  endpoint: stringLike(
    `^(?!GET ${listPath}$)${noDotSegment}${method} /api/${pathCharacter}*$`,
    `a method in capitals, one space and a path from /api/, such as GET /api/…, without a query and the segments . and ..; not GET ${listPath}, which must succeed`,
  ),
  query: stringLike(
    '^(?!\\?)[!-"$-~]+$',
    'a query of visible ASCII characters, without question mark or fragment (#…), such as page=1; write a space as %20, a # in a value as %23',
  ),
}

/** Maximum of x-version, a seed or a bound: 2^31 - 1. */
export const largest = 2_147_483_647

const noControls = 'without line breaks or other control characters'
/** The grammar of a text, by kind. */
const texts = {
  text: stringLike('^\\P{Cc}{0,200}$', `at most 200 characters, ${noControls}`),
  path: stringLike('^\\P{Cc}*$', `a text ${noControls}`),
  query: grammar.query,
  endpoint: grammar.endpoint,
  // Also forbids variables that were not replaced: $(NAME), ${NAME}, ${{ secrets.NAME }}, {{ NAME }}, %NAME% and <NAME>.
  credential: stringLike(
    '^(?! |(["\'`]).*\\1$|(?:\\$\\([\\w.-]+\\)|\\$\\{[\\w.-]+\\}|\\$?\\{\\{[\\w\\s.-]+\\}\\}|%\\w+%|<\\w+>)$)[ -~]{1,4096}(?<! )$',
    'the value itself: at most 4096 visible ASCII characters, without a line break or quotes around it, and not the name of a variable',
  ),
  // These have separate parsers.
  'base-url': stringLike('', ''),
  proxy: stringLike('', ''),
  rules: stringLike('', ''),
}

const text = <const Kind extends keyof typeof texts>(kind: Kind, argument: string | null, about: string) => {
  const { pattern, description: expected } = texts[kind]
  const parse = (given: string) => (new RegExp(pattern, 'u').test(given) ? given : undefined)
  return { kind, argument, about, expected, parse }
}
const file = (about: string) => text('path', '<file>', about)
const keyOf = (who: string) => text('credential', null, `The API key of ${who}.`)
const itsSecret = text('credential', null, 'Its secret key.')
const numeric = (form: RegExp, expected: string, least: number, most: number) => {
  const isWithin = (given: number) => given >= least && given <= most
  const parse = (given: string) => (form.test(given) && isWithin(Number(given)) ? Number(given) : undefined)
  return (argument: string, about: string, usual?: string) =>
    ({ kind: 'number', argument, about, default: usual, expected, parse }) as const
}
const whole = (least: number, most: number) =>
  numeric(/^(?:0|[1-9]\d*)$/, `a whole number from ${least} to ${most}, in digits only`, least, most)
const number = (most: number) =>
  numeric(
    /^\d+(?:\.\d+)?$/,
    `a number above 0 and at most ${most}, such as 25 or 0.5`,
    Number.MIN_VALUE,
    most,
  )
const yes = (about: string, usual?: string) => {
  const parse = (given: string) =>
    /^(?:true|yes|1|false|no|0)$/i.test(given) ? /^[ty1]/i.test(given) : undefined
  const expected = 'true or false (or yes, no, 1, 0)'
  return { kind: 'boolean', argument: null, about, default: usual, expected, parse } as const
}
const choice = <const Choice extends string>(argument: string, choices: readonly Choice[], about: string) => {
  const parse = (given: string) => choices.find((one) => one === given)
  const expected = `one of ${choices.join(', ')}`
  return { kind: 'choice', argument, choices, about, default: choices[0], expected, parse } as const
}
const natural = whole(0, largest)
const positive = whole(1, largest)

/** Every setting, in the order of `--help` and `.env.example`. */
const rows = {
  TARGET_BASE_URL: text('base-url', '<url>', 'Address of the service, or "embedded" (the reference).'),
  TARGET_API_KEY: keyOf('a client that may use the endpoint; required unless the address is "embedded"'),
  TARGET_SECRET_KEY: itsSecret,
  TARGET_VERSION: natural('<integer>', 'API version that requests name in x-version.', '1'),
  TARGET_QUERY: text('query', '<query>', 'Query that the list endpoint needs, such as page=1.'),
  TARGET_LABEL: text('text', '<text>', 'Stable name of the target: its vendor, its environment.'),
  TARGET_BUILD: text('text', '<text>', 'Build of the target: a version, a commit or a digest (sha256:…).'),
  TARGET_ENDPOINTS: file('JSON file of further endpoints, judged by every generic rule.'),
  FIXTURE_UNSUPPORTED_VERSION: natural('<integer>', 'Version that does not exist.', `${largest}`),
  FIXTURE_INVALID_QUERY: text('query', '<query>', 'Query that must get 1030, such as limit=abc.'),
  FIXTURE_SECOND_API_KEY: keyOf('another permitted client'),
  FIXTURE_SECOND_SECRET_KEY: itsSecret,
  FIXTURE_NO_CUSTOMER_API_KEY: keyOf('a client without a customer, which must get 1012'),
  FIXTURE_NO_CUSTOMER_SECRET_KEY: itsSecret,
  FIXTURE_INACTIVE_API_KEY: keyOf('a client for which the endpoint is inactive, which must get 1011'),
  FIXTURE_INACTIVE_SECRET_KEY: itsSecret,
  FIXTURE_INACTIVE_ENDPOINT: text('endpoint', '<endpoint>', 'Inactive endpoint, such as "GET /api/…".'),
  FIXTURE_UNAUTHORIZED_API_KEY: keyOf('a client that may not use the endpoint, which must get 1013'),
  FIXTURE_UNAUTHORIZED_SECRET_KEY: itsSecret,
  FIXTURE_EXHAUSTED_API_KEY: keyOf('a client whose daily quota is already used up'),
  FIXTURE_EXHAUSTED_SECRET_KEY: itsSecret,
  FIXTURE_DISPOSABLE_API_KEY: keyOf('a client whose daily quota the run may use up'),
  FIXTURE_DISPOSABLE_SECRET_KEY: itsSecret,
  FIXTURE_DISPOSABLE_QUOTA: positive('<requests>', 'Daily quota of the disposable client.'),
  RUN_PROFILE: choice('<name>', ['gate', 'acceptance', 'nightly'], 'What the run is for.'),
  RUN_STRICT: yes('Counts a breach of an implied rule as a violation, as the acceptance profile does.'),
  RUN_SEED: natural('<integer>', 'Seed of the fuzz cases: the same seed, the same requests.'),
  RUN_FUZZ_CASES: whole(0, 1_000_000)('<count>', 'Fuzz cases per rule. The profile sets the default.'),
  RUN_ONLY: text('rules', '<rules>', 'Judges only these rules: ids or globs, separated by commas.'),
  RUN_SUITES: text('path', '<folder>', 'Folder with modules that declare your own rules.'),
  RUN_ESSENTIAL: yes('Judges one case of each rule: at most 30 requests, for a small quota.'),
  RUN_FAILED: yes('Judges only rules that failed or were inconclusive in the last run.'),
  RUN_IDENTIFY: yes('Names the suite in every request, even in an acceptance run.'),
  RUN_BASELINE: file('Baseline to compare answers with. If missing, a run without violations writes it.'),
  RUN_UPDATE_BASELINE: yes('Widens the baseline to include the answers of this run, instead of comparing.'),
  RUN_RESET_BASELINE: yes('Replaces the baseline with the answers of this run, instead of comparing.'),
  RUN_MAX_REQUESTS: positive('<count>', 'Maximum requests. The profile sets the default.'),
  RUN_MAX_EXHAUST: positive('<count>', 'Maximum requests to use up a quota.', '1000'),
  RUN_MAX_RPS: number(1_000_000)(
    '<number>',
    'Maximum requests per second. Default 25; unlimited on loopback.',
  ),
  RUN_CONCURRENCY: whole(1, 256)('<count>', 'Maximum requests at once.', '8'),
  RUN_TIMEOUT_MS: whole(1, 600_000)('<milliseconds>', 'Maximum wait for a complete answer.', '10000'),
  RUN_MAX_MINUTES: number(10_080)('<minutes>', 'Maximum duration; a longer run is incomplete.', '60'),
  RUN_REPORTS_DIR: { ...text('path', '<folder>', 'Folder of the reports.'), default: 'reports' },
  RUN_HISTORY: file('File to which every run adds a line. Default history.jsonl in the reports folder.'),
  RUN_WAIVERS: file('JSON file of agreed exceptions.'),
  RUN_FORMAT: choice('<format>', ['text', 'json'], 'text, or json: only the verdict on standard output.'),
  RUN_QUIET: yes('Shows no progress.', 'false'),
  RUN_TRACE: yes('Sends a traceparent with each case; findings name its trace id.'),
  RUN_SIGNING_KEY_FILE: file('PEM file with a private Ed25519 key that signs the reports.'),
  RUN_VALID_DAYS: whole(1, 3_650)('<days>', 'Days for which the verdict is valid. Default unlimited.'),
  RUN_CA_FILE: file('PEM file with the certificate of a private certificate authority.'),
  RUN_CERT_FILE: file('PEM file with the client certificate for the service (mTLS).'),
  RUN_KEY_FILE: file('PEM file with its private key, without a passphrase.'),
  HTTPS_PROXY: text('proxy', null, 'Proxy for https addresses. Its user name and password stay hidden.'),
  NO_PROXY: text('text', null, 'Hosts and networks reached without the proxy, separated by commas.'),
}

/** The name of a setting, as in the environment. */
export type SettingName = keyof typeof rows

/** The section that a setting begins in `--help` and `.env.example`. */
const sections: Readonly<Partial<Record<SettingName, string>>> = {
  TARGET_BASE_URL: 'The target',
  FIXTURE_UNSUPPORTED_VERSION: 'Fixtures',
  RUN_PROFILE: 'What is judged',
  RUN_MAX_REQUESTS: 'Pace and bounds',
  RUN_REPORTS_DIR: 'Reports and output',
  RUN_CA_FILE: 'Connection',
}

/** The texts of settings, keyed by name. */
export type Texts = Readonly<Partial<Record<SettingName, string>>>

/** Typed values of the given settings; settings with a grammar remain text. */
export type Checked = {
  readonly [Name in SettingName]?: Exclude<ReturnType<(typeof rows)[Name]['parse']>, undefined>
}

/** A row of the table. */
type Row = Readonly<{
  kind: keyof typeof texts | 'number' | 'boolean' | 'choice'
  /** Flag argument, such as `<url>`; null if the flag has no argument or does not exist. */
  argument: string | null
  choices?: readonly string[]
  /** One sentence. */
  about: string
  /** As a user would write it; undefined if there is none, or if it depends on the profile or the address. */
  default?: string | undefined
  /** What is expected, as a phrase. */
  expected: string
  /** The typed value of a text; undefined if the text is invalid. */
  parse: (text: string) => unknown
}>

let section = ''

/** All settings, in the order of `--help` and `.env.example`. Documented in `docs/settings.md`. */
export const settingTable = memberNames(rows).map((name) => {
  const row: Row = rows[name]
  section = sections[name] ?? section
  /** Whether its value must never be shown. */
  const secret = row.kind === 'credential' || row.kind === 'proxy'
  // Secrets and the usual proxy variables have no flag; `--version` belongs to the program.
  const own = /^(?:TARGET|FIXTURE|RUN)_(.+)$/.exec(row.kind === 'credential' ? '' : name)?.[1]
  const flag = name === 'TARGET_VERSION' ? name : (own ?? null)
  return { ...row, name, group: section, flag: flag && flag.toLowerCase().replaceAll('_', '-'), secret }
})

/** A row of the table, its heading in `--help`, and its flag (without dashes, and without the prefix of its name) or null. */
export type Setting = (typeof settingTable)[number]

/** The secrets; the variable `NAME_FILE` points to the file of a secret. */
export const secrets = settingTable.filter(({ secret }) => secret)

/** Every variable with its setting, including the variables that point to the files of secrets. */
const byVariable = new Map<string, Setting>([
  ...secrets.map((setting) => [`${setting.name}_FILE`, setting] as const),
  ...settingTable.map((setting) => [setting.name, setting] as const),
])

/** Finds a setting by its name, or by the variable for its file; null for any other name. */
export function settingNamed(name: string) {
  return byVariable.get(name) ?? null
}

/** The arguments that give a setting on the command line; none if it has no flag. A flag without an argument ignores the value. */
export function flagWords(name: string, value: string) {
  const { flag = null, argument } = settingNamed(name) ?? {}
  if (flag === null) return []
  return argument === null ? [`--${flag}`] : [`--${flag}`, value]
}

/**
 * Minimum length, without prefix, at which two wrong letters count as a typo. CI systems set shorter names that look similar, such as
 * RUN_SCRIPT, which does not mean RUN_STRICT.
 */
const longName = 7

/** The variable probably meant by a misspelt name with our prefix; null for a correct or unrelated name. */
export function variableMeantBy(name: string) {
  const upper = name.toUpperCase()
  const [prefix] = /^(?:TARGET|FIXTURE|RUN)_/.exec(upper) ?? []
  if (prefix === undefined || byVariable.has(name)) return null
  if (upper !== name) return byVariable.has(upper) ? upper : null

  const similar = [...byVariable.keys()].flatMap((variable) => {
    const away = variable.startsWith(prefix) ? distance(name, variable) : Infinity
    return away <= (variable.length - prefix.length >= longName ? 2 : 1) ? [{ variable, away }] : []
  })
  return similar.toSorted((first, second) => first.away - second.away)[0]?.variable ?? null
}
