import { memberNames } from '../json/members.ts'
import { clientFixtures, targetCredentials } from './client-settings.ts'
import { distance } from '../text/nearest.ts'
import {
  anyText,
  choice,
  decimal,
  integer,
  largest,
  path,
  truth,
  words,
  type Grammar,
  type SettingKind,
} from './setting.ts'

const target = {
  TARGET_BASE_URL: anyText('base-url', '<url>', {
    about:
      'The address of the service, with or without a path prefix, or "embedded" for the reference service.',
  }),
  ...targetCredentials,
  TARGET_VERSION: integer('<integer>', [0, largest], {
    about: 'The API version that requests name in x-version.',
    default: '1',
  }),
  TARGET_QUERY: anyText('query', '<query>', {
    about: 'A query that the list endpoint needs, without the question mark, as page=1.',
  }),
  TARGET_LABEL: words('<text>', {
    about:
      'What is judged, the same every day (vendor, environment): history, metrics and comparisons know it by this name.',
  }),
  TARGET_BUILD: words('<text>', {
    about:
      'Which build of it is judged (a version, a commit); sha256:… and 64 hexadecimal digits are the subject of the evidence.',
  }),
  TARGET_ENDPOINTS: path('<file>', {
    about: 'A JSON file of further endpoints to judge by every generic rule.',
  }),
}

const fixtures = {
  FIXTURE_UNSUPPORTED_VERSION: integer('<integer>', [0, largest], {
    about: 'A version that does not exist.',
    default: String(largest),
  }),
  FIXTURE_INVALID_QUERY: anyText('query', '<query>', {
    about: 'A query that the list endpoint must refuse with 1030, without the question mark, as limit=abc.',
  }),
  ...clientFixtures,
}

const judged = {
  RUN_PROFILE: choice('<name>', ['gate', 'acceptance', 'nightly'], {
    about: 'What the run is for: gate, acceptance or nightly.',
    default: 'gate',
  }),
  RUN_STRICT: truth('Counts a breach of an implied rule as a violation; so does the profile acceptance.'),
  RUN_SEED: integer('<integer>', [0, largest], {
    about: 'The seed of the fuzz cases: the same seed sends the same requests.',
  }),
  RUN_FUZZ_CASES: integer('<count>', [0, 1_000_000], {
    about: 'How many fuzz cases each rule gets; the profile decides where this does not.',
  }),
  RUN_ONLY: anyText('rules', '<rules>', {
    about: 'Judges only these rules: ids or globs such as authentication/*, separated by commas.',
  }),
  RUN_SUITES: path('<folder>', {
    about:
      "A folder with modules that declare rules of your own, which are judged beside the suite's; not taken from a .env that nobody named.",
  }),
  RUN_ESSENTIAL: truth(
    'Judges one case of each rule: at most 30 requests, for a quick look or a small quota.',
  ),
  RUN_FAILED: truth(
    'Judges again what failed or was inconclusive in the last run, whose verdict is in the reports folder.',
  ),
  RUN_IDENTIFY: truth(
    'Names the suite in every request; else the profile acceptance also asks by the names of other clients, last of all.',
  ),
  RUN_BASELINE: path('<file>', {
    about:
      'The shapes of answers that this run is compared with; where the file is missing, a run without violations writes it.',
  }),
  RUN_UPDATE_BASELINE: truth('Widens the baseline by what this run sees, instead of comparing.'),
  RUN_RESET_BASELINE: truth('Replaces the baseline by what this run sees, instead of comparing.'),
}

const bounds = {
  RUN_MAX_REQUESTS: integer('<count>', [1, largest], {
    about: 'A hard bound on all requests of the run; the profile decides where this does not.',
  }),
  RUN_MAX_EXHAUST: integer('<count>', [1, largest], {
    about: 'How many of those requests may go into using up the quota of a disposable client.',
    default: '1000',
  }),
  RUN_MAX_RPS: decimal('<number>', 1_000_000, {
    about:
      'How many requests may reach the service in any second: 25 where nothing is said, on loopback as many as go through.',
  }),
  RUN_CONCURRENCY: integer('<count>', [1, 256], {
    about:
      'How many requests may be under way at once; a service that answers several more slowly is asked with fewer.',
    default: '8',
  }),
  RUN_TIMEOUT_MS: integer('<milliseconds>', [1, 600_000], {
    about: 'How long to wait for one whole answer.',
    default: '10000',
  }),
  RUN_MAX_MINUTES: decimal('<minutes>', 10_080, {
    about: 'How long the whole run may take; then it ends as incomplete.',
    default: '60',
  }),
}

const output = {
  RUN_REPORTS_DIR: path('<folder>', {
    about: 'The folder into which the reports are written.',
    default: 'reports',
  }),
  RUN_HISTORY: path('<file>', {
    about:
      'The file to which every run adds a line; history.jsonl in the reports folder where it is not given.',
  }),
  RUN_WAIVERS: path('<file>', { about: 'A JSON file of agreed exceptions.' }),
  RUN_FORMAT: choice('<format>', ['text', 'json'], {
    about: 'text, or json for the verdict on standard output and nothing else there.',
    default: 'text',
  }),
  RUN_QUIET: truth('Shows no progress.', { default: 'false' }),
  RUN_TRACE: truth(
    'Sends a traceparent with each case; its trace id follows from seed, rule and case, and findings name it.',
  ),
  RUN_SIGNING_KEY_FILE: path('<file>', {
    about: 'A PEM file with a private Ed25519 key: the run signs the digests of its reports at its end.',
  }),
  RUN_VALID_DAYS: integer('<days>', [1, 3_650], {
    about:
      'For how many days from the start of the run on the verdict holds; without end where it is not given.',
  }),
}

const connection = {
  RUN_CA_FILE: path('<file>', {
    about: 'A PEM file with the certificate of a private certificate authority.',
  }),
  RUN_CERT_FILE: path('<file>', {
    about: 'A PEM file with the client certificate that is shown to the service (mTLS).',
  }),
  RUN_KEY_FILE: path('<file>', {
    about: 'A PEM file with the private key of the client certificate, without a passphrase.',
  }),
  HTTPS_PROXY: anyText('proxy', null, {
    about: 'A proxy for https addresses; it may hold a user name and password, so its value is never shown.',
  }),
  NO_PROXY: words(null, {
    about: 'Hosts, addresses and networks that are reached without the proxy, separated by commas.',
  }),
}

const grammars = { ...target, ...fixtures, ...judged, ...bounds, ...output, ...connection }

/** Name of a setting, as in the environment. */
export type SettingName = keyof typeof grammars

/** Texts of settings, by name. */
export type Texts = Readonly<Partial<Record<SettingName, string>>>

/** Value of each setting; one with its own grammar is still text. */
type Values = {
  [Name in SettingName]: (typeof grammars)[Name] extends Grammar<infer Value> ? Value : never
}

/** Parsed values of the given settings. */
export type Checked = { readonly [Name in SettingName]?: Values[Name] }

const readers: { readonly [Name in SettingName]: Grammar<Values[Name]> } = grammars

/** Parses a setting into the checked values; false if the text is invalid. */
export function readInto<Name extends SettingName>(
  checked: { -readonly [One in Name]?: Values[One] },
  name: Name,
  text: string,
): boolean {
  const value = readers[name].read(text)
  if (value !== undefined) checked[name] = value
  return value !== undefined
}

const groups = [
  ['The target', target],
  ['Fixtures', fixtures],
  ['What is judged', judged],
  ['Pace and bounds', bounds],
  ['Reports and output', output],
  ['Connection', connection],
] as const

/** A setting with the facts derived from its name and kind. */
export interface Setting extends Omit<Grammar<unknown>, 'read'> {
  readonly name: SettingName
  /** Without dashes; null if the setting has no flag. */
  readonly flag: string | null
  /** Heading in `--help`. */
  readonly group: (typeof groups)[number][0]
  /** Whether its value must never be shown. */
  readonly secret: boolean
}

/** All settings, in the order of `--help` and `.env.example`. Documented in `docs/settings.md`. */
export const settingTable: readonly Setting[] = groups.flatMap(([group, settings]) =>
  memberNames<Partial<typeof grammars>>(settings).map((name) => {
    const { read: _, ...grammar }: Grammar<unknown> = grammars[name]
    const secret = grammar.kind === 'credential' || grammar.kind === 'proxy'
    return { ...grammar, name, group, flag: flagOf(name, grammar.kind), secret }
  }),
)

/** Name without prefix, in kebab-case. Secrets and the common proxy variables have no flag; `--version` is the program's. */
function flagOf(name: SettingName, kind: SettingKind): string | null {
  const own = /^(?:TARGET|FIXTURE|RUN)_(.+)$/.exec(name)?.[1]
  if (own === undefined || kind === 'credential') return null
  return (name === 'TARGET_VERSION' ? name : own).toLowerCase().replaceAll('_', '-')
}

/** Finds a setting by name, or null. */
export function settingNamed(name: string): Setting | null {
  return byName.get(name) ?? null
}

const byName = new Map<string, Setting>(settingTable.map((setting) => [setting.name, setting]))

/** Prefixes of our settings; HTTPS_PROXY and NO_PROXY are common to all programs. */
const prefixes = ['TARGET_', 'FIXTURE_', 'RUN_']

/**
 * Minimum length, without prefix, at which two wrong letters count as a slip. CI systems have similar shorter names: RUN_SCRIPT is
 * no RUN_STRICT, TARGET_LEVEL no TARGET_LABEL.
 */
const longName = 7

/** Setting that a misspelt name with our prefix probably means; null for a correct or unrelated name. */
export function settingMeantBy(name: string): SettingName | null {
  const upper = name.toUpperCase()
  const prefix = prefixes.find((one) => upper.startsWith(one))
  if (prefix === undefined || settingNamed(name) !== null) return null
  if (upper !== name) return settingNamed(upper)?.name ?? null

  const [nearest] = settingTable
    .filter((setting) => setting.name.startsWith(prefix))
    .map((setting) => ({ setting: setting.name, away: distance(name, setting.name) }))
    .filter(({ setting, away }) => away <= (setting.length - prefix.length >= longName ? 2 : 1))
    .toSorted((one, other) => one.away - other.away)
  return nearest?.setting ?? null
}
