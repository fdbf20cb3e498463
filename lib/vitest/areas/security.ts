import { testRules } from '../rules.ts'

testRules('security')
