import type { KnownEndpoint, TargetModel } from '../../judge/target-model.ts'
import { clientPrefixes } from '../../settings/client-settings.ts'
import { credentialsOf } from '../../settings/read-clients.ts'
import type { Settings } from '../../settings/settings.ts'
import type { ClientName } from '../../specification/client-rows.ts'
import { filledPath, listPath, maySend, type DescribedInput } from '../../specification/endpoints.ts'

/** What the settings say about a service: the list endpoint first, then those of the endpoints file. */
export function targetModel(settings: Settings): TargetModel {
  const { target, fixtures } = settings
  const isList = ({ method, path }: Pick<KnownEndpoint, 'method' | 'path'>): boolean =>
    method === 'GET' && path === listPath
  const listed = target.endpoints.find(isList)
  const list: KnownEndpoint = {
    ...plain,
    method: 'GET',
    path: listPath,
    version: target.version,
    label: `GET ${listPath}`,
    query: target.query,
    invalidQuery: fixtures.invalidQuery,
    success: listed?.success ?? null,
    described: listed === undefined ? null : describedBy(listed),
  }
  const further = target.endpoints.filter((entry) => !isList(entry)).flatMap(everyVersionOf)
  const inactive = fixtures.inactiveEndpoint === null ? [] : [fixtures.inactiveEndpoint]
  return {
    clients: credentialsOf(settings).map(({ name, ...credentials }) => ({ name, credentials })),
    endpoints: [
      list,
      ...further,
      ...inactive.map(({ method, path }) => ({
        ...plain,
        method,
        path,
        version: target.version,
        label: `${method} ${path}`,
        inactive: true,
      })),
    ],
    unsupportedVersion: fixtures.unsupportedVersion,
  }
}

/** The settings of a client, in sentences: `FIXTURE_SECOND_…`. */
export function settingsOfClient(client: ClientName): string {
  return `${clientPrefixes[client]}_…`
}

const plain = {
  query: null,
  body: null,
  invalidQuery: null,
  inactive: false,
  success: null,
  described: null,
  mayBeSent: true,
} as const

type Entry = Settings['target']['endpoints'][number]

function everyVersionOf(entry: Entry): readonly KnownEndpoint[] {
  const { method, path, pathParameters, versions, plainQuery, body, success, invalidQuery } = entry
  const texts = Object.entries(pathParameters).map(([name, { example = '' }]) => [name, String(example)])
  return versions.map((version) => ({
    ...plain,
    method,
    path: filledPath(path, Object.fromEntries(texts)),
    version: String(version),
    label: versions.length === 1 ? `${method} ${path}` : `${method} ${path} (version ${version})`,
    query: plainQuery,
    body: body?.example === undefined ? null : JSON.stringify(body.example),
    invalidQuery,
    success,
    described: describedBy(entry),
    mayBeSent: maySend(entry),
  }))
}

function describedBy({ file, number, path, pathParameters, query, body }: Entry): DescribedInput {
  return { file, number, template: path, pathParameters, query, body }
}
