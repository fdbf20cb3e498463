import { Session } from 'node:inspector'

/**
 * Watches the functions that this process calls from now on, by V8's coverage. Gives what tells the files below `root` with one that was
 * called since, or since it was asked last, as paths from there. A module's own code, which runs as it is loaded, is no function that is called.
 */
export function watchCalls(root: URL): () => readonly string[] {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  return () => {
    const called: string[] = []
    // Told at once, and counted from 0 again.
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

/** Whether a function was called that is neither a module's own code nor a part of it. */
function isCalled({ functionName, ranges: [whole] }: Covered): boolean {
  if (whole === undefined || whole.count === 0) return false
  const isModule = functionName === '' && whole.startOffset === 0
  return !isModule && functionName !== '<static_initializer>'
}
