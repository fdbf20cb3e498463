import type { Job, Service, Source } from './service.ts'
import { networkServices, rateServices } from './sources/rates.ts'
import { faultServices, variantServices } from './sources/reference.ts'
import { echoServices, targetServices } from './sources/targets.ts'

/** Every service, by its source. */
export const allServices: Readonly<Record<Source, readonly Service[]>> = {
  faults: faultServices,
  variants: variantServices,
  targets: targetServices,
  echoes: echoServices,
  networks: networkServices,
  rates: rateServices,
}

/** The service of a job; throws where there is none. */
export function serviceOf({ of, name }: Pick<Job, 'of' | 'name'>): Service {
  const found = allServices[of].find((service) => service.name === name)
  if (found === undefined) throw new Error(`none of ${of} is called ${name}`)
  return found
}
