import { availableParallelism, cpus, release, type } from 'node:os'

/** The machine that measured: nothing that names it. */
export function machine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor'
  const { node } = process.versions
  return `${model}, ${availableParallelism()} cores, Node ${node}, ${type()} ${release().split('-')[0]}`
}
