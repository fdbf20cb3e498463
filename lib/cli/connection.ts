import { existsSync } from 'node:fs'
import { proxyFor } from '../http/tunnel.ts'
import type { Connection } from '../verdict/verdict.ts'
import { redactorOf } from '../engine/redactor-of.ts'
import type { Settings } from '../settings/settings.ts'
import type { Console } from './console.ts'

/**
 * What stands between the suite and the target, where anything does: the proxy without its user and password, and the files of
 * further certificate authorities. Both are used for https only, and the proxy not for hosts that NO_PROXY names.
 */
export function connectionOf(settings: Settings, env: Console['env']): Connection | null {
  const { target, run } = settings
  if (target.baseUrl === null || !target.baseUrl.startsWith('https:')) return null

  const redactor = redactorOf(settings)
  const proxy = proxyFor(new URL(target.baseUrl), run.httpsProxy, run.noProxy)?.origin ?? null
  // Node trusts the second one by itself.
  const caFiles = [run.ca?.file, env['NODE_EXTRA_CA_CERTS']].filter(
    (file) => file !== undefined && existsSync(file),
  )
  if (proxy === null && caFiles.length === 0) return null

  return {
    proxy: proxy === null ? null : redactor.redact(proxy),
    caFiles: caFiles.flatMap((file) => (file === undefined ? [] : [redactor.redact(file)])),
  }
}
