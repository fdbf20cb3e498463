import { parseBaseUrl, type Address } from './base-url.ts'
import type { EnvFile } from './env-file.ts'
import type { Gathered, Texts } from './gather.ts'
import type { Mistake, Part } from './mistake.ts'
import { distance } from './nearest.ts'
import { settingTable, type SettingName } from './setting-table.ts'

/** What the run is pointed at. */
export type Aim =
  | { readonly kind: 'embedded' }
  | { readonly kind: 'address'; readonly address: Address }
  /** A mistake. `remote` is false where the embedded service was probably meant, which needs no client. */
  | { readonly kind: 'unknown'; readonly remote: boolean }

const setting = 'TARGET_BASE_URL'
const expected = 'the address of the service, or embedded'

/** Finds out what is judged: an address, the embedded service, or a mistake. */
export function readAim(gathered: Pick<Gathered, 'texts' | 'complete' | 'envFile'>): Part<Aim> {
  const { texts, complete } = gathered
  const text = texts[setting]
  if (text === 'embedded') return { value: { kind: 'embedded' }, mistakes: [] }
  if (text === '') return unknown(emptyFlag)
  if (text !== undefined) return addressed(text)
  if (!complete) return { value: { kind: 'unknown', remote: true }, mistakes: [] }

  const others = givenBeside(texts)
  if (others.length > 0) return unknown(missing(others, gathered))

  return { value: { kind: 'unknown', remote: false }, mistakes: [nothingGiven(gathered)] }
}

/** Where settings were looked for, for those who gave one elsewhere. */
export function placesSearched({ envFile }: Pick<Gathered, 'envFile'>): string {
  return `looked for among the flags, in the environment and in ${envFile.path} (${stateWords[envFile.state]})`
}

const stateWords: Readonly<Record<EnvFile['state'], string>> = {
  read: 'a file that exists',
  missing: 'a file that does not exist',
  unreadable: 'a file that cannot be read',
  'left-out': 'a file that exists, and is not read since CI is set: --env-file .env reads it',
}

/** The settings that the embedded service has its own of, so that what is given is not used. */
export function unusedByEmbedded(texts: Texts): readonly SettingName[] {
  const kept: readonly SettingName[] = ['TARGET_BASE_URL', 'TARGET_LABEL', 'TARGET_ENDPOINTS']

  return settingTable
    .map(({ name }) => name)
    .filter((name) => !kept.includes(name) && (/^(?:TARGET|FIXTURE)_/.test(name) || name === 'HTTPS_PROXY'))
    .filter((name) => texts[name] !== undefined)
}

function addressed(text: string): Part<Aim> {
  const { value: address, mistakes } = parseBaseUrl(text)
  if (address !== null) return { value: { kind: 'address', address }, mistakes }

  return { value: { kind: 'unknown', remote: distance(text.toLowerCase(), 'embedded') > 2 }, mistakes }
}

function unknown(mistake: Mistake): Part<Aim> {
  return { value: { kind: 'unknown', remote: true }, mistakes: [mistake] }
}

/** What was given that makes no sense without an address. */
function givenBeside(texts: Texts): readonly SettingName[] {
  return settingTable
    .map(({ name }) => name)
    .filter((name) => texts[name] !== undefined)
    .filter((name) => /^(?:TARGET|FIXTURE)_/.test(name) || name === 'RUN_PROFILE')
}

const emptyFlag: Mistake = {
  setting,
  given: 'an empty value',
  expected,
  hint: 'is the variable set from which --base-url was filled?',
}

function nothingGiven(gathered: Pick<Gathered, 'envFile'>): Mistake {
  return {
    setting,
    given: null,
    expected,
    hint: `${placesSearched(gathered)}; set TARGET_BASE_URL, TARGET_API_KEY and TARGET_SECRET_KEY, or ask for the suite's own reference service with --base-url embedded`,
  }
}

function missing(others: readonly SettingName[], gathered: Pick<Gathered, 'envFile'>): Mistake {
  const needing = `needed since ${others.slice(0, 3).join(', ')}${others.length > 3 ? ' and others are' : others.length > 1 ? ' are' : ' is'} given`
  return {
    setting,
    given: null,
    expected,
    hint: `${needing}; ${placesSearched(gathered)}`,
  }
}
