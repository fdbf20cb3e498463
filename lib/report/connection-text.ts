import type { Verdict } from '../verdict/verdict.ts'

/** What stands between the suite and the target, as the headline of every report names it; empty where nothing does. */
export function connectionTexts({ connection }: Pick<Verdict, 'connection'>): readonly string[] {
  if (connection === undefined) return []
  const { proxy, caFiles } = connection

  return [
    ...(proxy === null ? [] : [`through the proxy ${proxy}`]),
    ...(caFiles.length === 0 ? [] : [`trusting the certificates of ${caFiles.join(' and ')}`]),
  ]
}
