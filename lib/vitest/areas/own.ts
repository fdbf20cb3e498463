import { testRules } from '../rules.ts'

testRules('own')
