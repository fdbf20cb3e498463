import { sources, type Job, type Service, type Source } from './service.ts'

/** The services of each source, loaded on demand. */
const loading: Readonly<Record<Source, () => Promise<readonly Service[]>>> = {
  faults: async () => (await import('./sources/reference.ts')).faultServices,
  variants: async () => (await import('./sources/reference.ts')).variantServices,
  targets: async () => (await import('./sources/targets.ts')).targetServices,
  echoes: async () => (await import('../echoes/all-echoes.ts')).echoes,
  networks: async () => (await import('./sources/rates.ts')).networkServices,
  rates: async () => (await import('./sources/rates.ts')).rateServices,
  strangers: async () => (await import('./sources/strangers.ts')).strangerServices,
  mutants: async () => (await import('./sources/mutants.ts')).mutantServices,
  stacks: async () => (await import('./sources/stacks.ts')).stackServices,
}

/** The services of these sources. */
export async function servicesOf(some: readonly Source[] = sources): Promise<readonly Service[]> {
  return (await Promise.all(some.map((source) => loading[source]()))).flat()
}

/** The service of a job. Throws if there is none. */
export async function serviceOf({ of, name }: Pick<Job, 'of' | 'name'>): Promise<Service> {
  const found = (await loading[of]()).find((service) => service.name === name)
  if (found === undefined) throw new Error(`there is no service ${name} in ${of}`)
  return found
}
