import { Secret, type Credentials } from '../redact/secret.ts'
import { ofClients, type ClientName } from '../specification/client-rows.ts'
import { clientEntry, clientTable, type ClientEntry } from './client-settings.ts'
import { issue, parsed, type Parsed, type SettingIssue } from './issue.ts'
import type { Texts } from './setting-table.ts'
import type { Clients, Settings } from './settings.ts'

/** Checks the credentials of every client. Those of the target's client may be required, and a quota requires those of its client. */
export function readClients(texts: Texts, isRequired: boolean): Parsed<Clients> {
  const { FIXTURE_DISPOSABLE_QUOTA: quota } = texts
  const required = [isRequired ? 'target' : null, quota === undefined ? null : 'disposable']
  const read = ofClients((name) => readClient(clientEntry(name), texts, required.includes(name)))
  const clients = ofClients((name) => read[name].value)
  return {
    value: clients,
    issues: [...Object.values(read).flatMap(({ issues }) => issues), ...sameClients(clients)],
  }
}

function readClient(entry: ClientEntry, texts: Texts, isRequired: boolean): Parsed<Credentials | null> {
  const [apiKey, secretKey] = [texts[entry.apiKey], texts[entry.secretKey]]
  const isGiven = isRequired || (apiKey ?? secretKey) !== undefined
  const issues = ([entry.apiKey, entry.secretKey] as const).flatMap((name) =>
    texts[name] === undefined && isGiven
      ? [issue(name, { expected: `both ${entry.apiKey} and ${entry.secretKey} of a client`, hint: noFlag })]
      : credentialIssues(name, texts[name]),
  )
  if (apiKey === undefined || secretKey === undefined || issues.length > 0) return { value: null, issues }
  return parsed({
    apiKey: new Secret(entry.apiKey, apiKey),
    secretKey: new Secret(entry.secretKey, secretKey),
  })
}

const noFlag =
  'set it in the environment or in .env; it has no flag, because anyone could read it in the process list'

/** Every client must get a different answer, so no two may be the same. */
function sameClients(clients: Clients): readonly SettingIssue[] {
  return clientTable.flatMap(({ name, apiKey, secretKey }, index) => {
    const twin = clientTable.slice(0, index).find((earlier) => isSame(clients[earlier.name], clients[name]))
    if (twin === undefined) return []

    const given = `the same client as ${twin.apiKey} and ${twin.secretKey}`
    const expected = 'a separate client: the two must get different answers, so they cannot be the same'
    const hint = `leave ${apiKey} and ${secretKey} out if you have no such client`
    return [issue(apiKey, { given, expected, hint })]
  })
}

function isSame(client: Credentials | null, other: Credentials | null): boolean {
  const parts = ['apiKey', 'secretKey'] as const
  return client !== null && parts.every((part) => client[part].reveal() === other?.[part].reveal())
}

/** Lists the credentials of every configured client. */
export function credentialsOf({
  target,
  fixtures,
}: Settings): readonly (Credentials & { readonly name: ClientName })[] {
  return clientTable.flatMap(({ name }) => {
    const credentials = name === 'target' ? target.client : fixtures[name]
    return credentials === null ? [] : [{ name, ...credentials }]
  })
}

/** Maximum length of a credential, in characters; common servers refuse longer header fields. */
const longestCredential = 4_096

const tooLong = new RegExp(`^[^]{${longestCredential + 1}}`)

/** `$(NAME)`, `${NAME}`, `${{ secrets.NAME }}`, `{{ NAME }}`, `%NAME%`, `<NAME>`. */
const placeholder = /^(?:\$\([\w.-]+\)|\$\{[\w.-]+\}|\$?\{\{[\w\s.-]+\}\}|%\w+%|<\w+>)$/

/** Forbidden parts of a credential, and how to remove them. */
const mistakesOfCredentials: readonly (readonly [RegExp, what: string, hint: string])[] = [
  [/[\r\n]/, 'a line break', 'a secret read from a file often ends with a line break; paste only the value'],
  [
    /[^ -~\r\n]/,
    'a character outside visible ASCII',
    'copy the value again, without tabs or typographic quotes',
  ],
  [
    placeholder,
    'only the name of a variable that was not replaced',
    'check how the pipeline or shell passes the value on',
  ],
  [/^(["'`]).*\1$/s, 'quotes around it', 'docker --env-file and some pipelines keep quotes; leave them out'],
  [/^ | $/, 'white space around it', 'HTTP strips it, so the service would see another value'],
  [tooLong, `longer than ${longestCredential}`, 'this looks like a file rather than a key'],
]

/** Issues with a credential, one for each kind of mistake. They never show the value. */
export function credentialIssues(setting: string, value = ''): readonly SettingIssue[] {
  const expected = `the value itself: at most ${longestCredential} visible ASCII characters, with spaces only between them`
  return mistakesOfCredentials.flatMap(([wrong, what, hint]) => {
    const at = value.search(wrong)
    const where = at > 0 ? ` at position ${at + 1}` : ''
    const given = `a value of ${value.length} characters: ${what}${where}`
    return at < 0 ? [] : [issue(setting, { given, expected, hint })]
  })
}
