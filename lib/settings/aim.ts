import { parseBaseUrl, type Address } from './base-url.ts'
import type { Gathered, Texts } from './gather.ts'
import type { Mistake, Part } from './mistake.ts'
import { distance } from './nearest.ts'
import { settingTable, type SettingName } from './setting-table.ts'

/** What the run is pointed at. */
export type Aim =
  /** `asked` is false where nothing at all was given. */
  | { readonly kind: 'embedded'; readonly asked: boolean }
  | { readonly kind: 'address'; readonly address: Address }
  /** A mistake. `remote` is false where the embedded service was probably meant, which needs no client. */
  | { readonly kind: 'unknown'; readonly remote: boolean }

type Variables = Readonly<Record<string, string | undefined>>

const setting = 'TARGET_BASE_URL'

/** Finds out what is judged: an address, the embedded service, or a mistake. */
export function readAim(
  { texts, complete }: Pick<Gathered, 'texts' | 'complete'>,
  env: Variables,
): Part<Aim> {
  const text = texts[setting]
  if (text === 'embedded') return { value: { kind: 'embedded', asked: true }, mistakes: [] }
  if (text === '') return unknown(emptyFlag)
  if (text !== undefined) return addressed(text)
  if (!complete) return { value: { kind: 'unknown', remote: true }, mistakes: [] }

  const others = givenBeside(texts)
  if (others.length > 0) return unknown(missing(others))

  return isPipeline(env)
    ? { value: { kind: 'unknown', remote: false }, mistakes: [nothingInPipeline] }
    : { value: { kind: 'embedded', asked: false }, mistakes: [] }
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

function isPipeline(env: Variables): boolean {
  const ci = env['CI']?.trim().toLowerCase() ?? ''
  return ci !== '' && ci !== 'false' && ci !== '0'
}

const emptyFlag: Mistake = {
  setting,
  given: 'an empty value',
  expected: 'the address of the service, or embedded',
  hint: 'is the variable set from which --base-url was filled?',
}

const nothingInPipeline: Mistake = {
  setting,
  given: null,
  expected: 'the address of the service: CI is set, and a pipeline whose settings went missing must not pass',
  hint: 'set TARGET_BASE_URL, TARGET_API_KEY and TARGET_SECRET_KEY; --base-url embedded asks for the embedded service outright',
}

function missing(others: readonly SettingName[]): Mistake {
  return {
    setting,
    given: null,
    expected: 'the address of the service, or embedded',
    hint: `needed since ${others.slice(0, 3).join(', ')}${others.length > 3 ? ' and others are' : others.length > 1 ? ' are' : ' is'} given`,
  }
}
