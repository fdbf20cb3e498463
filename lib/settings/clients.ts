import { Secret, type Credentials } from '../redact/secret.ts'
import type { ClientName } from '../spec/clients.ts'
import { credentialMistakes } from './credential.ts'
import type { Texts } from './gather.ts'
import type { Mistake, Part } from './mistake.ts'
import type { Settings } from './settings.ts'

/** The clients that can be configured, and the settings that hold their credentials. */
export const clientTable = [
  { name: 'target', apiKey: 'TARGET_API_KEY', secretKey: 'TARGET_SECRET_KEY' },
  { name: 'second', apiKey: 'FIXTURE_SECOND_API_KEY', secretKey: 'FIXTURE_SECOND_SECRET_KEY' },
  { name: 'noCustomer', apiKey: 'FIXTURE_NO_CUSTOMER_API_KEY', secretKey: 'FIXTURE_NO_CUSTOMER_SECRET_KEY' },
  { name: 'inactive', apiKey: 'FIXTURE_INACTIVE_API_KEY', secretKey: 'FIXTURE_INACTIVE_SECRET_KEY' },
  {
    name: 'unauthorized',
    apiKey: 'FIXTURE_UNAUTHORIZED_API_KEY',
    secretKey: 'FIXTURE_UNAUTHORIZED_SECRET_KEY',
  },
  { name: 'exhausted', apiKey: 'FIXTURE_EXHAUSTED_API_KEY', secretKey: 'FIXTURE_EXHAUSTED_SECRET_KEY' },
  { name: 'disposable', apiKey: 'FIXTURE_DISPOSABLE_API_KEY', secretKey: 'FIXTURE_DISPOSABLE_SECRET_KEY' },
] as const satisfies readonly {
  readonly name: ClientName
  readonly apiKey: string
  readonly secretKey: string
}[]

type ClientEntry = (typeof clientTable)[number]

/** Every configured client. */
export type Clients = Readonly<Record<ClientName, Credentials | null>>

/** No client at all, as for the embedded service before it listens. */
export const noClients: Clients = {
  target: null,
  second: null,
  noCustomer: null,
  inactive: null,
  unauthorized: null,
  exhausted: null,
  disposable: null,
}

/** Checks the credentials of every client. With `complete` false nothing is called missing. */
export function readClients(texts: Texts, required: boolean, complete: boolean): Part<Clients> {
  const read = clientTable.map((entry) => ({ entry, part: readClient(entry, texts, required, complete) }))
  const clients = read.reduce<Clients>(
    (all, { entry, part }) => ({ ...all, [entry.name]: part.value }),
    noClients,
  )

  return { value: clients, mistakes: [...read.flatMap(({ part }) => part.mistakes), ...sameClients(clients)] }
}

function readClient(
  entry: ClientEntry,
  texts: Texts,
  required: boolean,
  complete: boolean,
): Part<Credentials | null> {
  const apiKey = texts[entry.apiKey]
  const secretKey = texts[entry.secretKey]
  const mistakes = [
    ...(apiKey === undefined ? [] : credentialMistakes(entry.apiKey, apiKey)),
    ...(secretKey === undefined ? [] : credentialMistakes(entry.secretKey, secretKey)),
    ...(complete ? missing(entry, texts, required) : []),
  ]
  if (apiKey === undefined || secretKey === undefined || mistakes.length > 0) return { value: null, mistakes }

  const client = {
    apiKey: new Secret(entry.apiKey, apiKey),
    secretKey: new Secret(entry.secretKey, secretKey),
  }
  return { value: client, mistakes }
}

function missing(entry: ClientEntry, texts: Texts, required: boolean): readonly Mistake[] {
  const demanded = entry.name === 'target' && required
  const halves = [
    { setting: entry.apiKey, other: entry.secretKey, what: 'the API key' },
    { setting: entry.secretKey, other: entry.apiKey, what: 'the secret key' },
  ] as const

  return halves
    .filter(({ setting, other }) => texts[setting] === undefined && (demanded || texts[other] !== undefined))
    .map(({ setting, other, what }) => ({
      setting,
      given: null,
      expected: demanded
        ? `${what} of a client that may use the endpoint`
        : `${what} that belongs to ${other}`,
      hint: demanded
        ? `set ${setting} in the environment or in .env; it has no flag, since flags show in the process list`
        : `${other} is given; give both or neither`,
    }))
}

/** Each client must be answered differently from every other, so no two may be the same. */
function sameClients(clients: Clients): readonly Mistake[] {
  return clientTable.flatMap((entry, index) => {
    const twin = clientTable
      .slice(0, index)
      .find((earlier) => isSame(clients[earlier.name], clients[entry.name]))
    if (twin === undefined) return []

    return [
      {
        setting: entry.apiKey,
        given: `the same client as ${twin.apiKey} and ${twin.secretKey}`,
        expected: 'a client of its own: the two must be answered differently, so they cannot be the same',
        hint: `leave ${entry.apiKey} and ${entry.secretKey} out where you have no such client`,
      },
    ]
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

/** The credentials of a client, with what kind of client it is. */
export interface NamedCredentials extends Credentials {
  readonly name: ClientName
}

/** The credentials of every configured client. */
export function credentialsOf(settings: Settings): readonly NamedCredentials[] {
  return clientTable.flatMap(({ name }) => {
    const credentials = name === 'target' ? settings.target.client : settings.fixtures[name]
    return credentials === null ? [] : [{ name, ...credentials }]
  })
}
