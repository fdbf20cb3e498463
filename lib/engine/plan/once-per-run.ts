import type { JudgedEndpoint, SuiteContext } from './suite-context.ts'

/** A value shared by several rules, made once per context. */
export function oncePerRun<Value>(make: (context: SuiteContext) => Value): (context: SuiteContext) => Value {
  const made = new WeakMap<SuiteContext, Value>()
  return (context) => {
    const value = made.get(context) ?? make(context)
    made.set(context, value)
    return value
  }
}

/** A value for each endpoint that several rules share, made once per context. */
export function oncePerEndpoint<Value>(
  make: (endpoint: JudgedEndpoint, context: SuiteContext) => Value,
): (endpoint: JudgedEndpoint, context: SuiteContext) => Value {
  const made = oncePerRun((context) => new Map(context.endpoints.map((one) => [one, make(one, context)])))
  return (endpoint, context) => made(context).get(endpoint) ?? make(endpoint, context)
}
