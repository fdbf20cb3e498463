import { Secret, type Credentials } from '../redact/secret.ts'
import { ofClients, type ClientName } from '../specification/client-rows.ts'
import { clientEntry, clientTable, type ClientEntry } from './client-settings.ts'
import { issue, type Parsed, type SettingIssue } from './issue.ts'
import type { Texts } from './setting-table.ts'
import type { Clients, Settings } from './settings.ts'

/** Whether the target's client is required, and whether anything may be reported as missing. */
interface Demands {
  readonly required: boolean
  readonly complete: boolean
}

/** Checks the credentials of every client. */
export function readClients(texts: Texts, demands: Demands): Parsed<Clients> {
  const read = ofClients((name) => readClient(clientEntry(name), texts, demands))
  const clients = ofClients((name) => read[name].value)
  return {
    value: clients,
    issues: [...Object.values(read).flatMap(({ issues }) => issues), ...sameClients(clients)],
  }
}

function readClient(entry: ClientEntry, texts: Texts, demands: Demands): Parsed<Credentials | null> {
  const apiKey = texts[entry.apiKey]
  const secretKey = texts[entry.secretKey]
  const issues = [
    ...credentialIssues(entry.apiKey, apiKey),
    ...credentialIssues(entry.secretKey, secretKey),
    ...(demands.complete ? missing(entry, texts, demands.required) : []),
  ]
  if (apiKey === undefined || secretKey === undefined || issues.length > 0) return { value: null, issues }

  const value = {
    apiKey: new Secret(entry.apiKey, apiKey),
    secretKey: new Secret(entry.secretKey, secretKey),
  }
  return { value, issues }
}

function missing(entry: ClientEntry, texts: Texts, required: boolean): readonly SettingIssue[] {
  const isDemanded = entry.name === 'target' && required
  const halves = [
    { setting: entry.apiKey, other: entry.secretKey, what: 'the API key' },
    { setting: entry.secretKey, other: entry.apiKey, what: 'the secret key' },
  ]
  return halves
    .filter(
      ({ setting, other }) => texts[setting] === undefined && (isDemanded || texts[other] !== undefined),
    )
    .map(({ setting, other, what }) => {
      if (!isDemanded) {
        const hint = `${other} is given; give both or neither`
        return issue(setting, { expected: `${what} that belongs to ${other}`, hint })
      }
      const hint = `set ${setting} in the environment or in .env; it has no flag, since flags show in the process list`
      return issue(setting, { expected: `${what} of a client that may use the endpoint`, hint })
    })
}

/** Every client must be answered differently, so no two may be the same. */
function sameClients(clients: Clients): readonly SettingIssue[] {
  return clientTable.flatMap(({ name, apiKey, secretKey }, index) => {
    const twin = clientTable.slice(0, index).find((earlier) => isSame(clients[earlier.name], clients[name]))
    if (twin === undefined) return []

    const given = `the same client as ${twin.apiKey} and ${twin.secretKey}`
    const expected = 'a client of its own: the two must be answered differently, so they cannot be the same'
    const hint = `leave ${apiKey} and ${secretKey} out where you have no such client`
    return [issue(apiKey, { given, expected, hint })]
  })
}

function isSame(one: Credentials | null, other: Credentials | null): boolean {
  return (
    one !== null &&
    other !== null &&
    one.apiKey.reveal() === other.apiKey.reveal() &&
    one.secretKey.reveal() === other.secretKey.reveal()
  )
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

/** `$(NAME)`, `${NAME}`, `${{ secrets.NAME }}`, `{{ NAME }}`, `%NAME%`, `<NAME>`. */
const placeholder = /^(?:\$\([\w.-]+\)|\$\{[\w.-]+\}|\$?\{\{[\w\s.-]+\}\}|%\w+%|<\w+>)$/

/** Mistakes in credentials; `find` returns the index, or -1. */
const mistakesOfCredentials = [
  {
    expected: 'a value without line breaks',
    what: 'a line break',
    find: (value: string) => value.search(/[\r\n]/),
    hint: 'a secret read from a file often ends in a line break; paste the value alone',
  },
  {
    expected: 'a value without control characters',
    what: 'a control character',
    find: (value: string) => value.search(/(?![\r\n])\p{Cc}/u),
    hint: 'copy the value again; a tab or a terminal escape came along',
  },
  {
    expected: 'visible ASCII characters, with or without spaces between them',
    what: 'a character outside ASCII',
    find: (value: string) => value.search(/[^\0-\u009f]/),
    hint: 'copy the value again; typographic quotes and non-breaking spaces come from word processors',
  },
  {
    expected: 'the value itself, not the name of a variable',
    what: 'nothing but a variable that was not replaced',
    isWhole: true,
    find: (value: string) => value.search(placeholder),
    hint: 'the pipeline, shell or tool that should have put the value there did not: check how it is passed on',
  },
  {
    expected: 'a value without quotes around it',
    what: 'quotes around it',
    isWhole: true,
    find: (value: string) => value.search(/^(["'`]).*\1$/s),
    hint: 'docker --env-file and some pipelines keep quotes; write the value without them',
  },
  {
    expected: 'a value without white space before or after it',
    what: 'white space',
    find: (value: string) => value.search(/^ | $/),
    hint: 'HTTP strips white space around a header value, so the service would see another one',
  },
]

/** Issues of a credential, one for each kind of mistake; none shows the value. */
export function credentialIssues(setting: string, value: string | undefined): readonly SettingIssue[] {
  if (value === undefined) return []
  const given = `a value of ${value.length} characters`
  const found = mistakesOfCredentials.flatMap(({ expected, what, find, hint, isWhole = false }) => {
    const index = find(value)
    if (index < 0) return []
    const where = isWhole ? '' : ` at position ${index + 1}`
    return [issue(setting, { given: `${given} with ${what}${where}`, expected, hint })]
  })
  if (value.length <= longestCredential) return found

  const hint = 'this looks like the content of a file rather than a key'
  return [...found, issue(setting, { given, expected: `at most ${longestCredential} characters`, hint })]
}
