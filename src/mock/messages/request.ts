/** Requests, the organization document and the answers whose size counts. service behaviour 1.1–1.3, 1.7, 1.8; notation: message-table.ts. */
export const requestMessages = `
ImportDataRequest { data_orgs=1 ImportDataOrg oneof=data; data_orgsv1=2 v1.ImportDataOrg oneof=data;
  data_orgs_local=3 ImportDataRequest_LocalInput oneof=data;
  data_orgsv1_local=4 ImportDataRequest_LocalInput oneof=data; data_orgs_s3=5 ImportDataRequest_S3Input oneof=data;
  data_orgsv1_s3=6 ImportDataRequest_S3Input oneof=data; data_orgs_gcs=7 ImportDataRequest_GCSInput oneof=data;
  data_orgsv1_gcs=8 ImportDataRequest_GCSInput oneof=data; timeout=9 string; }
ImportDataOrg { orgs=1 DataOrg[]; }
DataOrg { org_id=1 string; org=3 AddOrgRequest; domain_policy=4 AddCustomDomainPolicyRequest;
  label_policy=5 AddCustomLabelPolicyRequest; lockout_policy=6 AddCustomLockoutPolicyRequest;
  login_policy=7 AddCustomLoginPolicyRequest; password_complexity_policy=8 AddCustomPasswordComplexityPolicyRequest;
  privacy_policy=9 AddCustomPrivacyPolicyRequest; projects=10 DataProject[]; project_roles=11 AddProjectRoleRequest[];
  api_apps=12 DataAPIApplication[]; oidc_apps=13 DataOIDCApplication[]; human_users=14 DataHumanUser[];
  machine_users=15 DataMachineUser[]; trigger_actions=16 SetTriggerActionsRequest[]; actions=17 DataAction[];
  project_grants=18 DataProjectGrant[]; user_grants=19 AddUserGrantRequest[]; org_members=20 AddOrgMemberRequest[];
  project_members=21 AddProjectMemberRequest[]; project_grant_members=22 AddProjectGrantMemberRequest[];
  user_metadata=23 SetUserMetadataRequest[]; login_texts=24 SetCustomLoginTextsRequest[];
  init_messages=25 SetCustomInitMessageTextRequest[];
  password_reset_messages=26 SetCustomPasswordResetMessageTextRequest[];
  verify_email_messages=27 SetCustomVerifyEmailMessageTextRequest[];
  verify_phone_messages=28 SetCustomVerifyPhoneMessageTextRequest[];
  domain_claimed_messages=29 SetCustomDomainClaimedMessageTextRequest[];
  passwordless_registration_messages=30 SetCustomPasswordlessRegistrationMessageTextRequest[];
  oidc_idps=31 DataOIDCIDP[]; jwt_idps=32 DataJWTIDP[]; user_links=33 IDPUserLink[]; domains=34 Domain[];
  app_keys=35 DataAppKey[]; machine_keys=36 DataMachineKey[];
  verify_sms_otp_messages=37 SetCustomVerifySMSOTPMessageTextRequest[];
  verify_email_otp_messages=38 SetCustomVerifyEmailOTPMessageTextRequest[];
  invite_user_messages=39 SetCustomInviteUserMessageTextRequest[]; org_state=40 OrgState; }
v1.ImportDataOrg { orgs=1 v1.DataOrg[]; }
v1.DataOrg { org_id=1 string; org=3 AddOrgRequest; iam_policy=4 AddCustomOrgIAMPolicyRequest;
  label_policy=5 AddCustomLabelPolicyRequest; lockout_policy=6 AddCustomLockoutPolicyRequest;
  login_policy=7 AddCustomLoginPolicyRequest; password_complexity_policy=8 AddCustomPasswordComplexityPolicyRequest;
  privacy_policy=9 AddCustomPrivacyPolicyRequest; projects=10 DataProject[]; project_roles=11 AddProjectRoleRequest[];
  api_apps=12 DataAPIApplication[]; oidc_apps=13 DataOIDCApplication[]; human_users=14 DataHumanUser[];
  machine_users=15 DataMachineUser[]; trigger_actions=16 v1.SetTriggerActionsRequest[]; actions=17 DataAction[];
  project_grants=18 DataProjectGrant[]; user_grants=19 AddUserGrantRequest[]; org_members=20 AddOrgMemberRequest[];
  project_members=21 AddProjectMemberRequest[]; project_grant_members=22 AddProjectGrantMemberRequest[];
  user_metadata=23 SetUserMetadataRequest[]; login_texts=24 SetCustomLoginTextsRequest[];
  init_messages=25 SetCustomInitMessageTextRequest[];
  password_reset_messages=26 SetCustomPasswordResetMessageTextRequest[];
  verify_email_messages=27 SetCustomVerifyEmailMessageTextRequest[];
  verify_phone_messages=28 SetCustomVerifyPhoneMessageTextRequest[];
  domain_claimed_messages=29 SetCustomDomainClaimedMessageTextRequest[];
  passwordless_registration_messages=30 SetCustomPasswordlessRegistrationMessageTextRequest[];
  oidc_idps=31 DataOIDCIDP[]; jwt_idps=32 DataJWTIDP[]; second_factors=33 AddSecondFactorToLoginPolicyRequest[];
  multi_factors=34 AddMultiFactorToLoginPolicyRequest[]; idps=35 AddIDPToLoginPolicyRequest[];
  user_links=36 IDPUserLink[]; domains=37 Domain[]; app_keys=38 DataAppKey[]; machine_keys=39 DataMachineKey[];
  invite_user_messages=40 SetCustomInviteUserMessageTextRequest[]; }
ImportDataRequest_LocalInput { path=1 string; }
ImportDataRequest_S3Input { path=1 string; endpoint=2 string; access_key_id=3 string; secret_access_key=4 string;
  ssl=5 bool; bucket=6 string; }
ImportDataRequest_GCSInput { bucket=1 string; serviceaccount_json=2 string; path=3 string; }
ExportDataRequest { org_ids=1 string[]; excluded_org_ids=2 string[]; with_passwords=3 bool; with_otp=4 bool;
  response_output=5 bool; local_output=6 ExportDataRequest_LocalOutput; s3_output=7 ExportDataRequest_S3Output;
  gcs_output=8 ExportDataRequest_GCSOutput; timeout=9 string; }
ExportDataRequest_LocalOutput { path=1 string; }
ExportDataRequest_S3Output { path=1 string; endpoint=2 string; access_key_id=3 string; secret_access_key=4 string;
  ssl=5 bool; bucket=6 string; }
ExportDataRequest_GCSOutput { bucket=1 string; serviceaccount_json=2 string; path=3 string; }
ListEventsRequest { sequence=1 uint64; limit=2 uint32; asc=3 bool; editor_user_id=4 string ..200;
  event_types=5 string[] max-items=30; aggregate_id=6 string ..200; aggregate_types=7 string[] max-items=10;
  resource_owner=8 string ..200; creation_date=9 timestamp;
  range=10 ListEventsRequest_creation_date_range oneof=creation_date_filter;
  from=11 timestamp oneof=creation_date_filter; }
ListEventsRequest_creation_date_range { since=1 timestamp; until=2 timestamp; }
ExportDataResponse { orgs=1 DataOrg[]; }
ListEventsResponse { events=1 Event[]; }
Event { editor=1 Editor; aggregate=2 Aggregate; sequence=3 uint64; creation_date=4 timestamp; payload=5 struct;
  type=6 EventType; }
Editor { user_id=1 string; display_name=2 string; service=3 string; }
Aggregate { id=1 string; type=2 AggregateType; resource_owner=3 string; }
AggregateType { type=1 string; localized=2 LocalizedMessage; }
EventType { type=1 string; localized=2 LocalizedMessage; }
LocalizedMessage { key=1 string; localized_message=2 string; }
`;
