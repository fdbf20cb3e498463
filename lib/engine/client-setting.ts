import { clientTable } from '../settings/clients.ts'
import type { ClientName } from '../spec/clients.ts'

/** How sentences call a client: by the setting that names its key. */
export function clientSetting(client: ClientName): string {
  const setting = clientTable.find(({ name }) => name === client)?.apiKey ?? client
  return `the client of ${setting}`
}
