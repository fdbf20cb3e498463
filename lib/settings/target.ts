import { resolve } from 'node:path'

import { defaultVersion } from '../spec/endpoints.ts'
import type { Aim } from './aim.ts'
import { sizeLimits } from './bounded-file.ts'
import type { Checked } from './check-texts.ts'
import type { Clients } from './clients.ts'
import { parseEndpoints, type EndpointEntry } from './endpoints-file.ts'
import type { Part } from './mistake.ts'
import { queryMistakes } from './query.ts'
import { unreadable } from './run-settings.ts'
import type { Target } from './settings.ts'
import { readTextFile, whyNot } from './text-file.ts'

/** What the target depends on beside the checked texts. */
export interface TargetInput {
  readonly checked: Checked
  readonly aim: Aim
  readonly clients: Clients
  /** In clear, so that none slips into a URL. */
  readonly credentials: readonly string[]
  readonly cwd: string
}

/** Reads what is judged. */
export async function readTarget({
  checked,
  aim,
  clients,
  credentials,
  cwd,
}: TargetInput): Promise<Part<Target>> {
  const query = checked.TARGET_QUERY ?? null
  const endpoints = await readEndpoints(checked.TARGET_ENDPOINTS, credentials, cwd)
  const value = {
    baseUrl: aim.kind === 'address' ? aim.address.baseUrl : null,
    embedded: aim.kind === 'embedded',
    version: String(checked.TARGET_VERSION ?? defaultVersion),
    query,
    label: checked.TARGET_LABEL ?? null,
    client: clients.target,
    endpoints: endpoints.value,
  }

  const mistakes = query === null ? [] : queryMistakes('TARGET_QUERY', query, credentials)
  return { value, mistakes: [...mistakes, ...endpoints.mistakes] }
}

async function readEndpoints(
  text: string | undefined,
  credentials: readonly string[],
  cwd: string,
): Promise<Part<readonly EndpointEntry[]>> {
  if (text === undefined) return { value: [], mistakes: [] }

  const file = await readTextFile(resolve(cwd, text), sizeLimits.list)
  return file.kind === 'text'
    ? parseEndpoints(file.text, text, credentials)
    : { value: [], mistakes: [unreadable('TARGET_ENDPOINTS', `${text} (${whyNot(file)})`)] }
}
