import { Secret, type Credentials } from '../redact/secret.ts'
import { ofClients, type ClientName } from '../specification/client-rows.ts'
import { clientEntry, clientTable } from './client-settings.ts'
import { issue, type Parsed, type SettingIssue } from './issue.ts'
import type { Checked, Texts } from './setting-table.ts'
import type { Clients } from './settings.ts'

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
    const [apiKey, secretKey] = [checked[entry.apiKey], checked[entry.secretKey]]
    if (apiKey === undefined || secretKey === undefined) return null
    return { apiKey: new Secret(entry.apiKey, apiKey), secretKey: new Secret(entry.secretKey, secretKey) }
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
