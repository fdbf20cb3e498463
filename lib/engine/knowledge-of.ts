import { plainQuery } from '../generate/plain-query.ts'
import type { KnownClient, KnownEndpoint, TargetModel } from '../judge/target-model.ts'
import { credentialsOf } from '../settings/clients.ts'
import type { Settings } from '../settings/settings.ts'
import { listPath } from '../spec/endpoints.ts'

/** All that the settings say about a service. The list endpoint comes first, then those of the endpoints file. */
export function knowledgeOf(settings: Settings): TargetModel {
  return {
    clients: clientsOf(settings),
    endpoints: [listEndpoint(settings), ...furtherEndpoints(settings), ...inactiveEndpoint(settings)],
    unsupportedVersion: settings.fixtures.unsupportedVersion,
  }
}

function clientsOf(settings: Settings): readonly KnownClient[] {
  return credentialsOf(settings).map(({ name, ...credentials }) => ({ name, credentials }))
}

function listEndpoint({ target, fixtures }: Settings): KnownEndpoint {
  return {
    method: 'GET',
    path: listPath,
    version: target.version,
    label: `GET ${listPath}`,
    query: target.query,
    invalidQuery: fixtures.invalidQuery,
    inactive: false,
    success: target.endpoints.find(isListEndpoint)?.success ?? null,
    mayBeSent: true,
  }
}

function furtherEndpoints({ target }: Settings): readonly KnownEndpoint[] {
  return target.endpoints
    .filter((entry) => !isListEndpoint(entry))
    .flatMap(({ method, path, versions, query, success, invalidQuery, fuzz }) =>
      versions.map((version) => ({
        method,
        path,
        version: String(version),
        label: versions.length === 1 ? `${method} ${path}` : `${method} ${path} (version ${version})`,
        query: plainQuery(query),
        invalidQuery,
        inactive: false,
        success,
        mayBeSent: fuzz || ['GET', 'HEAD', 'OPTIONS'].includes(method),
      })),
    )
}

function inactiveEndpoint({ target, fixtures }: Settings): readonly KnownEndpoint[] {
  const inactive = fixtures.inactiveEndpoint
  if (inactive === null) return []
  return [
    {
      ...inactive,
      version: target.version,
      label: `${inactive.method} ${inactive.path}`,
      query: null,
      invalidQuery: null,
      inactive: true,
      success: null,
      mayBeSent: true,
    },
  ]
}

function isListEndpoint({ method, path }: { readonly method: string; readonly path: string }): boolean {
  return method === 'GET' && path === listPath
}
