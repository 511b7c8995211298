/** Lengths the service allows, in code points unless the name says bytes (service behaviour 1.4). */
export const serviceLimits = {
  userId: 200,
  userName: 200,
  firstName: 200,
  lastName: 200,
  nickName: 200,
  displayName: 200,
  preferredLanguage: 10,
  phone: 50,
  identityText: 200,
  otpSecret: 200,
  /** Of the users API alone; the import endpoint takes longer ones (service behaviour 9.49). */
  usersApiHash: 200,
  emailBytes: 254,
  emailLocalPartBytes: 64,
  hostNameBytes: 253,
  hostLabelBytes: 63,
} as const;
