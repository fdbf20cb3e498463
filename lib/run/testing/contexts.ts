import type { KnownEndpoint } from '../../judge/target-model.ts'
import { read, settingsOf, target } from '../../settings/testing/read.ts'
import { suiteContext, type SuiteContext } from '../plan/suite-context.ts'

/** What suites make cases from, with these settings; with the case of `acme/own` that is sent again. */
export async function contextOf(
  env: Readonly<Record<string, string>> = {},
  { cwd, replayed = null }: { readonly cwd?: string; readonly replayed?: string | null } = {},
): Promise<SuiteContext> {
  const settings = settingsOf(await read({ ...target, ...env }, cwd === undefined ? {} : { cwd }))
  return suiteContext(settings, 'card-switch-conformance/test', {
    replayed: replayed === null ? null : { rule: 'acme/own', case: replayed },
  })
}

/** The list endpoint, of which nothing more is known. */
export const listEndpoint: KnownEndpoint = {
  method: 'GET',
  path: '/api/customizations/list',
  version: '1',
  label: 'GET /api/customizations/list',
  query: null,
  body: null,
  invalidQuery: null,
  inactive: false,
  success: null,
  described: null,
  mayBeSent: true,
}
