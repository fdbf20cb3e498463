import { Session } from 'node:inspector'

/**
 * Watches the function calls of this process from now on, through V8's coverage. Returns a function that
 * lists the files below `root` with a function called since the last query, as relative paths. Top-level
 * code, which runs when a module is loaded, does not count.
 */
export function watchCalls(root: URL): () => readonly string[] {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  return () => {
    const called: string[] = []
    // Reported immediately, and counted from 0 again.
    session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error !== null) throw error
      const files = result.filter(
        ({ url, functions }) => url.startsWith(root.href) && functions.some(isCalled),
      )
      called.push(...files.map(({ url }) => url.slice(root.href.length)))
    })
    return called.toSorted()
  }
}

interface Covered {
  readonly functionName: string
  readonly ranges: readonly { readonly startOffset: number; readonly count: number }[]
}

/** Whether a called function is neither a module's top-level code nor a part of it. */
function isCalled({ functionName, ranges: [whole] }: Covered): boolean {
  if (whole === undefined || whole.count === 0) return false
  const isModule = functionName === '' && whole.startOffset === 0
  return !isModule && functionName !== '<static_initializer>'
}
