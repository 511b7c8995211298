/** Projects, applications and actions. service behaviour 1.5; notation: message-table.ts. */
export const projectMessages = `
DataProject { project_id=1 string; project=2 AddProjectRequest; }
AddProjectRequest { name=1 string 1..200; project_role_assertion=2 bool; project_role_check=3 bool;
  has_project_check=4 bool; private_labeling_setting=5 PrivateLabelingSetting defined; }
AddProjectRoleRequest { project_id=1 string 1..200; role_key=2 string 1..200; display_name=3 string 1..200;
  group=4 string ..200; }
DataAPIApplication { app_id=1 string; app=2 AddAPIAppRequest; }
AddAPIAppRequest { project_id=1 string 1..200; name=2 string 1..200; auth_method_type=3 APIAuthMethodType defined; }
DataOIDCApplication { app_id=1 string; app=2 AddOIDCAppRequest; }
AddOIDCAppRequest { project_id=1 string 1..200; name=2 string 1..200; redirect_uris=3 string[];
  response_types=4 OIDCResponseType[]; grant_types=5 OIDCGrantType[]; app_type=6 OIDCAppType defined;
  auth_method_type=7 OIDCAuthMethodType defined; post_logout_redirect_uris=8 string[]; version=9 OIDCVersion defined;
  dev_mode=10 bool; access_token_type=11 OIDCTokenType defined; access_token_role_assertion=12 bool;
  id_token_role_assertion=13 bool; id_token_userinfo_assertion=14 bool; clock_skew=15 duration 0s..5s;
  additional_origins=16 string[]; skip_native_app_success_page=17 bool; back_channel_logout_uri=18 string;
  login_version=19 LoginVersion; }
LoginVersion { login_v1=1 LoginV1 oneof=version; login_v2=2 LoginV2 oneof=version; }
LoginV1 { }
LoginV2 { base_uri=1 string optional; }
SetTriggerActionsRequest { flow_type=1 string; trigger_type=2 string; action_ids=3 string[]; }
DataAction { action_id=1 string; action=2 CreateActionRequest; }
CreateActionRequest { name=1 string 1..200; script=2 string 1.. ..40000b; timeout=3 duration 0s..20s;
  allowed_to_fail=4 bool; }
DataProjectGrant { grant_id=1 string; project_grant=2 AddProjectGrantRequest; }
AddProjectGrantRequest { project_id=1 string 1..200; granted_org_id=2 string 1..200; role_keys=3 string[]; }
DataAppKey { id=1 string; project_id=2 string; app_id=3 string; client_id=4 string; type=5 KeyType;
  expiration_date=6 timestamp; public_key=7 bytes; }
v1.SetTriggerActionsRequest { flow_type=1 FlowType; trigger_type=2 TriggerType; action_ids=3 string[]; }
`;
