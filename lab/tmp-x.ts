import { judgeJob } from './judge/run.ts'
import { servicesOf } from './judge/all-services.ts'
for (const s of await servicesOf(['targets'])) {
  if (s.over !== 'program' ) continue
  const { outcome } = await judgeJob({ of: s.of, name: s.name, profile: s.profiles[0]!, over: s.over, seed: null, sinks: [] })
  console.log(s.name, outcome.exit, outcome.requests, outcome.causes, outcome.seconds, outcome.result, outcome.because.join('; ').slice(0,600))
}
