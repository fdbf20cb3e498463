import { schedule, draw } from '../../lib/generate/draw.ts'
import { caseClasses } from '../../lib/generate/case-classes.ts'
import { fieldsOf } from '../../lib/http/request.ts'
import { generatorInputOf } from '../../lib/suite/fuzz.ts'
import { contextOf, keys, settingsFor, type Tell } from './subject.ts'

/** What a service does with a key that it was sent. */
type Fault = (sent: string, key: string) => boolean

/** Faults of comparing a key, and of failing on it: true where the service gives itself away. */
const faults: Readonly<Record<string, Fault>> = {
  'the key need only begin with the valid one': (sent, key) => sent.startsWith(key),
  'the beginning of the valid key is enough': (sent, key) => sent.length > 8 && key.startsWith(sent),
  'only the first eight characters are compared': (sent, key) => sent.slice(0, 8) === key.slice(0, 8),
  'only the length is compared': (sent, key) => sent.length === key.length,
  'compared without letter case': (sent, key) => sent.toLowerCase() === key.toLowerCase(),
  'white space inside is dropped first': (sent, key) => sent.replaceAll(/\s/g, '') === key,
  "'…or…' is accepted": (sent) => /'.*\bor\b.*'/i.test(sent),
  'the literal null is accepted': (sent) => sent === 'null',
  '500 on a quote': (sent) => sent.includes("'"),
  '500 above 255 characters': (sent) => sent.length > 255,
  '500 on a lone %': (sent) => /%(?![0-9a-f]{2})/i.test(sent),
}

const seeds = 1_000
const within = 50
const asked = 999

/** Of how many seeds each fault is found within fifty cases of `fuzz/api-key`; judged in memory. */
export async function detection(tell: Tell): Promise<boolean> {
  let reached = true
  for (const [name, gives] of Object.entries(faults)) {
    const found: number[] = []
    for (const key of keys) found.push(await seedsThatFind(gives, key))
    tell(
      `${name}: ${found.map((count) => `${count}/${seeds}`).join(', ')} (a key of each of ${keys.length} forms; asked: ${asked})`,
    )
    reached &&= found.every((count) => count >= asked)
  }
  return reached
}

async function seedsThatFind(gives: Fault, key: string): Promise<number> {
  const context = contextOf(await settingsFor('http://127.0.0.1:1', { TARGET_API_KEY: key }))
  const classes = caseClasses['fuzz/api-key'](generatorInputOf(context, context.list))
  const places = [...schedule(classes, within, false)]
  const { request } = context.list.request
  let found = 0
  for (let seed = 1; seed <= seeds; seed += 1) {
    const isFound = places.some((place) => {
      const { mutated } = draw(place, seed, 'fuzz/api-key')
      const [sent, ...more] = fieldsOf(mutated.apply(request), 'x-api-key')
      if (sent === undefined || more.length > 0 || mutated.treatment !== 'oracle' || sent === key)
        return false
      // What a transport may refuse by itself never shows that a service took it.
      return gives(sent, key)
    })
    if (isFound) found += 1
  }
  return found
}
