import type { Request } from '../../http/exchange.ts'
import type { KnownEndpoint } from '../../judge/target-model.ts'
import { credentials } from '../../judge/testing/exchanges.ts'
import { read, settingsOf, target } from '../../settings/testing/read.ts'
import { listPath } from '../../specification/endpoints.ts'
import { bareEndpoint, plainRequest, suiteContext, TestRequest } from '../plan/suite-context.ts'
import type { RequestTraits, SuiteContext } from '../plan/suite-context.ts'

/** The context of suites with these settings; `replayed` names the case of `acme/own` to replay. */
export async function contextOf(
  env: Readonly<Record<string, string>> = {},
  { cwd, replayed = null }: { readonly cwd?: string; readonly replayed?: string | null } = {},
): Promise<SuiteContext> {
  const settings = settingsOf(await read({ ...target, ...env }, cwd === undefined ? {} : { cwd }))
  const replay = replayed === null ? null : ({ rule: 'acme/own', case: replayed } as const)
  return suiteContext(settings, { replayed: replay })
}

/** Settings of clients by the prefixes of their settings, such as `SECOND`. */
export function fixtures(...clients: readonly string[]): Readonly<Record<string, string>> {
  const keys = clients.map((client) => [`FIXTURE_${client}_API_KEY`, `key-of-${client}-Zx81`])
  const secrets = clients.map((client) => [`FIXTURE_${client}_SECRET_KEY`, `sec-of-${client}-Qw37`])
  return Object.fromEntries([...keys, ...secrets])
}

const named = { method: 'GET', path: listPath, version: '1', label: `GET ${listPath}` }
/** The list endpoint, without further details. */
export const listEndpoint: KnownEndpoint = { ...named, ...bareEndpoint }

/** A request of the target client that is not plain, with these traits and parts. */
export function requestOf(traits: Partial<RequestTraits> = {}, parts: Partial<Request> = {}): TestRequest {
  const plain = plainRequest(listEndpoint, { name: 'target', credentials })
  return new TestRequest({ ...plain.request, ...parts }, { ...plain.traits, plain: false, ...traits })
}
