import type { Credentials } from '../redact/secret.ts'
import { ofClients, type ClientName } from '../specification/client-rows.ts'
import { distance } from '../text/nearest.ts'
import { parseBaseUrl, type Address } from './base-url.ts'
import { clientEntry, clientTable, credentialsOf } from './client-settings.ts'
import { issue, parsed, type Parsed, type SettingIssue } from './issue.ts'
import { settingTable, type Checked, type SettingName, type Texts } from './setting-table.ts'
import { placesSearched, type Sources } from './sources.ts'

/** Credentials of each client, null if not configured. */
export type Clients = Readonly<Record<ClientName, Credentials | null>>

/** The target of the run. */
export type ResolvedTarget =
  | { readonly kind: 'embedded' }
  | { readonly kind: 'address'; readonly address: Address }
  /** Always accompanied by an issue. `remote` is false if the user probably meant the embedded service, which needs no client. */
  | { readonly kind: 'unknown'; readonly remote: boolean }

/** Finds the target: an address, the embedded service, or an issue. */
export function resolveTarget(sources: Pick<Sources, 'texts' | 'envFile'>): Parsed<ResolvedTarget> {
  const { texts } = sources
  const { TARGET_BASE_URL: text } = texts
  if (text === 'embedded') return parsed({ kind: 'embedded' })
  if (text !== undefined) {
    const { value: address, issues } = parseBaseUrl(text)
    if (address !== null) return { value: { kind: 'address', address }, issues }
    return { value: { kind: 'unknown', remote: distance(text.toLowerCase(), 'embedded') > 2 }, issues }
  }
  const others = givenAmong(texts, (name) => isOfTarget(name) || name === 'RUN_PROFILE')
  const places = placesSearched(sources)
  const hint =
    others.length === 0
      ? `${places}; set TARGET_BASE_URL, TARGET_API_KEY and TARGET_SECRET_KEY, or use the suite's own reference service with --base-url embedded`
      : `needed because ${others.slice(0, 3).join(', ')} ${others.length > 1 ? 'are' : 'is'} given; ${places}`
  return parsed(
    { kind: 'unknown', remote: others.length > 0 },
    issue('TARGET_BASE_URL', { expected: 'the address of the service, or embedded', hint }),
  )
}

/** The given settings that the embedded service ignores, because it has its own clients. */
export function unusedByEmbedded(texts: Texts): readonly SettingName[] {
  const used: readonly SettingName[] = ['TARGET_BASE_URL', 'TARGET_LABEL', 'TARGET_BUILD', 'TARGET_ENDPOINTS']
  return givenAmong(texts, (name) => !used.includes(name) && (isOfTarget(name) || name === 'HTTPS_PROXY'))
}

function givenAmong(texts: Texts, isWanted: (name: SettingName) => boolean): readonly SettingName[] {
  return settingTable.map(({ name }) => name).filter((name) => texts[name] !== undefined && isWanted(name))
}

function isOfTarget(name: SettingName): boolean {
  return /^(?:TARGET|FIXTURE)_/.test(name)
}

/** The clients. Those of the target may be required, and a quota requires its client. */
export function readClients(checked: Checked, texts: Texts, isRequired: boolean): Parsed<Clients> {
  const { FIXTURE_DISPOSABLE_QUOTA: quota } = texts
  const required = [isRequired ? 'target' : null, quota === undefined ? null : 'disposable']
  const issues = clientTable.flatMap(({ name, apiKey, secretKey }) => {
    const missing = [apiKey, secretKey].filter((setting) => texts[setting] === undefined)
    const expected = `both ${apiKey} and ${secretKey} of a client`
    return missing.length < (required.includes(name) ? 3 : 2)
      ? missing.map((setting) => issue(setting, { expected, hint: noFlag }))
      : []
  })
  const clients = ofClients((name): Credentials | null => {
    const entry = clientEntry(name)
    const apiKey = checked[entry.apiKey]
    const secretKey = checked[entry.secretKey]
    return apiKey === undefined || secretKey === undefined ? null : credentialsOf(name, { apiKey, secretKey })
  })
  return { value: clients, issues: [...issues, ...sameClients(clients)] }
}

const noFlag =
  'set it in the environment or in .env; it has no flag, because anyone could read it in the process list'

/** Every client must get a different answer, so no two may be the same. */
function sameClients(clients: Clients): readonly SettingIssue[] {
  const pairOf = (name: ClientName) =>
    [clients[name]?.apiKey.reveal(), clients[name]?.secretKey.reveal()].join('\n')
  return clientTable.flatMap(({ name, apiKey, secretKey }, index) => {
    const twin = clientTable.slice(0, index).find((earlier) => pairOf(earlier.name) === pairOf(name))
    if (twin === undefined || clients[name] === null) return []

    const given = `the same client as ${twin.apiKey} and ${twin.secretKey}`
    const expected = 'a separate client: the two must get different answers, so they cannot be the same'
    const hint = `leave ${apiKey} and ${secretKey} out if you have no such client`
    return [issue(apiKey, { given, expected, hint })]
  })
}
